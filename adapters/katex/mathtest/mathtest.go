// Package mathtest contains the contract test for ports.Math.
package mathtest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/ports"
)

// Contract tests a ports.Math that may take as long as it needs for a formula.
func Contract(t *testing.T, m ports.Math) {
	t.Helper()
	const katex, display = `class="katex"`, `class="katex-display"`
	for _, shown := range []bool{false, true} {
		html, err := m.Formula(t.Context(), `\frac{a^2}{b}`, shown)
		if err != nil || !strings.Contains(html, katex) || strings.Contains(html, display) != shown {
			t.Errorf("display %v: %q, %v", shown, html, err)
		}
		if at := strings.Index(html, display); shown && at > strings.Index(html, katex) {
			t.Errorf("%s is not around %s: %q", display, katex, html)
		}
	}
	for _, tex := range []string{`\frac{`, `\nope`, `}`, `\begin{matrix}`} {
		if html, err := m.Formula(t.Context(), tex, false); !errors.Is(err, markdown.ErrTeX) || html != "" {
			t.Errorf("%s: %q, %v", tex, html, err)
		}
	}
	// Nothing in a formula becomes a part of the page.
	for _, tex := range []string{
		`\href{javascript:alert(1)}{x}`, `\text{<img src=x onerror=alert(1)>}`, `\text{</span><script>x</script>}`,
		`\includegraphics{https://example.com/x.png}`,
	} {
		html, err := m.Formula(t.Context(), tex, false)
		if err != nil && !errors.Is(err, markdown.ErrTeX) {
			t.Errorf("%s: %v", tex, err)
		}
		for _, bad := range []string{"<script", "<img", "href=", "src="} {
			if strings.Contains(html, bad) && !strings.Contains(html, "&lt;") {
				t.Errorf("%s contains %s: %s", tex, bad, html)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Formula(ended, "without+time", false); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
	want, err := m.Formula(t.Context(), "x+y", false)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if html, again := m.Formula(t.Context(), "x+y", false); html != want || again != nil || err != nil {
				t.Errorf("at once with others: %q, %v", html, again)
			}
		})
	}
	all.Wait()
}
