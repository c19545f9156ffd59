package playground_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/playground"
)

func TestNew(t *testing.T) {
	const url = "https://play.org/{?code}"
	for _, c := range []struct{ name, language, template, want string }{
		{" Go ", " Go ", " " + url + " ", ""},
		{"x", "C++ #_./-9", "HTTP://x.org/{code}/{+code}", ""},
		{strings.Repeat("ä", 100), strings.Repeat("a", 40), url, ""},
		{" \n", "go", url, "name cannot be blank"},
		{"x", " ", url, "pygments_language cannot be blank"},
		{"x", "go", "", "url_template cannot be blank"},
		{strings.Repeat("x", 101), "go", url, "name is too long (limit: 100 characters)"},
		{"x", strings.Repeat("x", 41), url, "pygments_language is too long (limit: 40 characters)"},
		{"x", "go", url + strings.Repeat("x", 2000), "url_template is too long (limit: 2000 characters)"},
		{"x", "go:", url, "Invalid characters in pygments language"},
		{"x", "gö", url, "Invalid characters in pygments language"},
		{"a\x00b", "go", url, "Invalid character in name."},
		{"a\nb", "go", url, "Invalid character in name."},
		{"a\u202eb", "go", url, "Invalid character in name."},
		{"\u200b", "go", url, "Invalid character in name."},
		{"\u200d", "go", url, "name cannot be blank"},
		{"x", "g\x00o", url, "Invalid character in pygments_language."},
		{"x", "go", "https://x.org/\x00{code}", "Invalid character in url_template."},
		{"x", "go", "https://x.org/{code", "Invalid URL template."},
		{"x", "go", "javascript:{code}", "Invalid URL template."},
		{"x", "go", "{+code}", "Invalid URL template."},
		{"x", "go", "https://x.org", `Missing the required variable "code" in the URL template`},
		{"x", "go", "https://x.org/{Code}", `Missing the required variable "code" in the URL template`},
		{"x", "go", "https://x.org/{code}{?other}", `"code" should be the only variable present in the URL template`},
	} {
		p, err := playground.New(c.name, c.language, c.template)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q %q %q: %v", c.name, c.language, c.template, err)
		case c.want == "" && (p.Name != strings.TrimSpace(c.name) || p.Language != strings.TrimSpace(c.language) ||
			p.URLTemplate != strings.TrimSpace(c.template)):
			t.Errorf("%q %q %q gives %+v", c.name, c.language, c.template, p)
		case c.want != "" && (err == nil || err.Error() != c.want || !errs.Is(err, errs.BadRequest)):
			t.Errorf("%q %q %q: got %v, want %s", c.name, c.language, c.template, err, c.want)
		}
	}
}

func TestFits(t *testing.T) {
	all := []playground.Playground{{Name: "Try", Language: "Go"}}
	for _, c := range []struct {
		name, language string
		ok             bool
	}{{"Try", "Go", false}, {"TRY", "go", false}, {"Try", "C", true}, {"Other", "Go", true}} {
		if err := playground.CheckUnique(all, &playground.Playground{Name: c.name, Language: c.language},
			strings.ToLower); (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.name, c.language, err)
		}
	}
}
