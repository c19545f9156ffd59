package kit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

type fixedClock struct{ at time.Time }

func (c *fixedClock) Now() time.Time { return c.at }

// TestPanics checks that a module is reported for a while after it has panicked twice within a minute.
func TestPanics(t *testing.T) {
	clock := &fixedClock{time.Unix(0, 0)}
	p := &kit.Panics{Clock: clock}
	panics := func(module string) (err error) {
		defer p.Recover(module, "f", &err)
		panic("broken")
	}
	for _, step := range []struct {
		module string
		after  time.Duration
		want   string
	}{
		{"cards", 0, "[]"},
		{"cards", 61 * time.Second, "[]"},
		{"party", time.Second, "[]"},
		{"cards", 59 * time.Second, "[cards]"},
		{"party", 0, "[cards party]"},
		{"other", 10 * time.Minute, "[]"},
	} {
		clock.at = clock.at.Add(step.after)
		err := panics(step.module)
		var got *kit.PanicError
		if !errors.As(err, &got) || !strings.Contains(got.Stack, "panics_test.go") ||
			err.Error() != "module "+step.module+": panic in f: broken" {
			t.Errorf("%v", err)
		}
		if got := fmt.Sprint(p.Repeated()); got != step.want {
			t.Errorf("%s after %v: %s, not %s", step.module, step.after, got, step.want)
		}
	}
	p = nil
	if err := panics("cards"); err == nil || p.Repeated() != nil {
		t.Error(err)
	}
}
