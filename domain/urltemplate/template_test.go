package urltemplate_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/urltemplate"
)

var values = map[string]string{
	"var": "value", "hello": "Hello World!", "path": "/foo/bar", "empty": "", "x": "1024", "y": "768", "half": "50%",
	"base": "http://example.com/home/",
	"who":  "fred", "v": "6", "umlaut": "größe", "done": "a%20b",
}

func value(name string) (string, bool) { v, ok := values[name]; return v, ok }

func TestExpand(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"plain":                   "plain",
		"{var}":                   "value",
		"{hello}":                 "Hello%20World%21",
		"{half}":                  "50%25",
		"O{empty}X":               "OX",
		"O{undef}X":               "OX",
		"{x,y}":                   "1024,768",
		"{x,undef,y}":             "1024,768",
		"?{x,empty}":              "?1024,",
		"{var:3}":                 "val",
		"{var:30}":                "value",
		"{umlaut:3}":              "gr%C3%B6",
		"{var*}":                  "value",
		"{path}":                  "%2Ffoo%2Fbar",
		"{+path}/here":            "/foo/bar/here",
		"{+hello}":                "Hello%20World!",
		"{+half}":                 "50%25",
		"{+done}":                 "a%20b",
		"{done}":                  "a%2520b",
		"{base}index":             "http%3A%2F%2Fexample.com%2Fhome%2Findex",
		"{+base}index":            "http://example.com/home/index",
		"{+path:6}/here":          "/foo/b/here",
		"{+x,hello,y}":            "1024,Hello%20World!,768",
		"{#path,x}/here":          "#/foo/bar,1024/here",
		"foo{#empty}":             "foo#",
		"foo{#undef}":             "foo",
		"X{.x,y}":                 "X.1024.768",
		"X{.empty}":               "X.",
		"X{.undef}":               "X",
		"{/var,x}/here":           "/value/1024/here",
		"{/var,empty}":            "/value/",
		"{/var:1,var}":            "/v/value",
		"{;who}":                  ";who=fred",
		"{;v,empty,who}":          ";v=6;empty;who=fred",
		"{;x,y,undef}":            ";x=1024;y=768",
		"{?x,y}":                  "?x=1024&y=768",
		"{?x,y,empty}":            "?x=1024&y=768&empty=",
		"{?var:3}":                "?var=val",
		"{?undef}":                "",
		"?fixed=yes{&x}":          "?fixed=yes&x=1024",
		"{&x,y,empty}":            "&x=1024&y=768&empty=",
		"https://a.org/ü b?q={x}": "https://a.org/%C3%BC%20b?q=1024",
		"%7e{x}%":                 "%7e1024%25",
		"javascript:{+hello}":     "javascript:Hello%20World!",
	} {
		tmpl, err := urltemplate.Parse(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got, ok := tmpl.Expand(value, 1000); !ok || got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestInvalid(t *testing.T) {
	for _, in := range []string{
		"{", "}", "{}", "a}b", "{a", "{{a}}", "{a{b}}", "{a b}", "{a,}", "{,a}", "{=a}", "{!a}", "{@a}", "{|a}", "{+}",
		"{a:0}", "{a:}", "{a:x}", "{a:+1}", "{a:10000}",
		"{a:01}", "{a:3*}", "{a**}", "{.}", "{a..b}", "{a.}", "{-a}", "{ä}", "{%}", "{%2}", "{a\x00}",
	} {
		if _, err := urltemplate.Parse(in); !errors.Is(err, urltemplate.ErrInvalid) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestVariables(t *testing.T) {
	tmpl, err := urltemplate.Parse("{b}{?a,b:3}{/c.d*,%41_}")
	if want := []string{"%41_", "a", "b", "c.d"}; err != nil || !slices.Equal(tmpl.Variables(), want) {
		t.Errorf("%v %v, want %v", tmpl.Variables(), err, want)
	}
}

func TestLimit(t *testing.T) {
	tmpl, err := urltemplate.Parse(strings.Repeat("{hello}", 100))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := tmpl.Expand(value, 1599); ok || got != "" {
		t.Errorf("got %q", got)
	}
	if got, ok := tmpl.Expand(value, 1600); !ok || len(got) != 1600 {
		t.Errorf("got %d bytes", len(got))
	}
}
