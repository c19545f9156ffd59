package markdown_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/emoji"
	"github.com/stoachat/stoa/adapters/markdown"
	md "github.com/stoachat/stoa/domain/markdown"
)

// slow is an engine for formulas that never finishes one.
type slow struct{ left []time.Duration }

func (s *slow) Formula(ctx context.Context, _ string, _ bool) (string, error) {
	end, ok := ctx.Deadline()
	if !ok {
		return "", errors.New("no deadline")
	}
	s.left = append(s.left, time.Until(end))
	<-ctx.Done()
	return "", ctx.Err()
}

// TestTimeOfText checks that the parts of a text share its time: 100 formulas and 20 pieces of code get no more of it
// than one.
func TestTimeOfText(t *testing.T) {
	math := &slow{}
	text := strings.Repeat("```go\nfunc f() { return }\n```\n", 20) + strings.Repeat("$$x$$ a ", 100)
	r := markdown.New(markdown.Config{}, emoji.New(), math, nil, nil)
	out, err := r.Render(t.Context(), hostile(), md.Source{Text: text})
	if err != nil || strings.Count(out.HTML, `aria-hidden="true">x</span>`) != 100 {
		t.Errorf("%v\n%.500s", err, out.HTML)
	}
	for i, left := range math.left {
		if left > 250*time.Millisecond || i > 0 && left > 0 {
			t.Errorf("formula %d has %v", i, left)
		}
	}
}
