package apidocs_test

import (
	"regexp"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/apidocs"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func pages(t *testing.T) (*kittest.Server, *kittest.Client) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, events.Module, messages.Module, apidocs.Module)
	return s, s.Anonymous().Under("/api/docs")
}

// TestModuleGuides reads the pages that a module adds.
func TestModuleGuides(t *testing.T) {
	const text = "Enter **this** in `a<b>`:\n\n```\ncurl {address}/x\n\nend\n```\n\n* one\n* [two](https://example.com/)"
	bakes := kit.Define("cakes", "Bakes.", struct{}{}, func(struct{}, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Guides: []kit.Guide{{Under: "incoming", Name: "oven", Title: "The oven", Text: text}}}, nil
	})
	s := kittest.Start(t, apidocs.Module, bakes)
	c := s.Anonymous().Under("/api/docs")
	const linked = `<a href="/api/docs/guides/incoming/oven">The oven</a>`
	if a := c.Do("GET /guides/incoming"); !strings.Contains(a.Body, linked) {
		t.Errorf("the page is not linked: %s", a.Body)
	}
	a := c.Do("GET /guides/incoming/oven")
	for _, want := range []string{
		"<p>Enter <strong>this</strong> in <code>a&lt;b&gt;</code>:</p>",
		`<pre tabindex="0"><code>curl ` + s.URL + "/x\n\nend</code></pre>",
		`<ul><li>one</li><li><a href="https://example.com/">two</a></li></ul>`,
	} {
		if !strings.Contains(a.Body, want) {
			t.Errorf("%q is missing from %s", want, a.Body)
		}
	}
	if a := c.Do("GET /guides/incoming/none"); a.Status != 404 {
		t.Errorf("a page that does not exist: %d", a.Status)
	}
}

// TestPages follows all links of the pages from the first one on.
func TestPages(t *testing.T) {
	_, c := pages(t)
	link := regexp.MustCompile(`href="/api/docs(/[^"?#]*)`)
	seen, todo, largest := map[string]bool{}, []string{"/"}, 0
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		a := c.Do("GET " + path)
		if a.Status != 200 || !strings.Contains(a.Body, "<h1") && !strings.Contains(path, "/docs.") {
			t.Errorf("%s: %d %.200s", path, a.Status, a.Body)
		}
		if csp := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", path, csp)
		}
		largest = max(largest, len(a.Body))
		for _, m := range link.FindAllStringSubmatch(a.Body, -1) {
			if !seen[m[1]] {
				seen[m[1]] = true
				todo = append(todo, m[1])
			}
		}
	}
	if !seen["/sendMessage"] || !seen["/events/message"] || !seen["/entities/User"] && len(seen) < 100 {
		t.Errorf("only %d pages are linked: %v", len(seen), seen)
	}
	t.Logf("%d pages, the largest %d bytes", len(seen), largest)
}

func TestMissingPage(t *testing.T) {
	_, c := pages(t)
	for _, path := range []string{"/bakeCake", "/events/cake", "/entities/Cake", "/guides/cake", "/sendMessage?lang=tlh"} {
		a := c.Do("GET " + path)
		if a.Status != 404 || !strings.Contains(a.Body, "docs.css") || !strings.Contains(a.Body, "Not found") {
			t.Errorf("%s: %d %.300s", path, a.Status, a.Body)
		}
	}
	if a := c.Do("GET /?lang=de"); !strings.Contains(a.Body, `<html lang="de"`) || !strings.Contains(a.Body, "Ereignisse") {
		t.Errorf("German: %.300s", a.Body)
	}
}

func TestSearch(t *testing.T) {
	_, c := pages(t)
	a := c.Do("GET /search?q=propagate_mode")
	if !strings.Contains(a.Body, `href="/api/docs/updateMessage"`) {
		t.Errorf("the parameter is not found: %s", a.Body)
	}
	for query, want := range map[string]string{
		"move+topic": "updateMessage", "edit+a+message": "updateMessage", "rename+topic": "updateMessage",
		"pagination": "getMessages", "subscribe+bot+to+channel": "subscribe", "rate+limit": "errors#RATE_LIMIT_HIT",
		"send+message": "sendMessage",
	} {
		_, results, _ := strings.Cut(c.Do("GET /search?q="+query).Body, `<ul class="operations"><li>`)
		if !strings.HasPrefix(results, `<a href="/api/docs/`+want+`"`) {
			t.Errorf("%s is not the first result of %s: %.400s", want, query, results)
		}
	}
	a = c.Do("GET /search?q=RATE_LIMIT&lang=de")
	if !strings.Contains(a.Body, `href="/api/docs/errors?lang=de#RATE_LIMIT_HIT"`) {
		t.Errorf("a part of a page in a language: %s", a.Body)
	}
	if a = c.Do("GET /search?q=%3Cscript%3Ecake"); !strings.Contains(a.Body, "Nothing found.") ||
		strings.Contains(a.Body, "<script>cake") {
		t.Errorf("nothing to find: %s", a.Body)
	}
}
