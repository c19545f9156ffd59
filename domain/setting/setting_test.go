package setting_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/setting"
)

type settings struct {
	Size  int    `json:"size"`
	Title string `json:"title"`
	Limit *int   `json:"limit,omitempty"`
}

func number(n int) *int { return &n }

func rows() []setting.Row {
	return []setting.Row{
		{Name: "size", Default: 3, Check: setting.Between(1, 5)},
		{Name: "title", Default: "none", Check: setting.Text(4)},
		{Name: "limit"},
	}
}

func TestFillAndValues(t *testing.T) {
	var s settings
	setting.Fill(&s, rows())
	if s != (settings{Size: 3, Title: "none"}) {
		t.Errorf("filled: %+v", s)
	}
	if got := setting.Values(s); len(got) != 3 || got["size"] != 3 || got["title"] != "none" {
		t.Errorf("values: %v", got)
	}
}

func TestGiven(t *testing.T) {
	type inner struct {
		Size *int `json:"size"`
	}
	type request struct {
		inner
		Title *string `json:"title"`
		ID    int     `json:"id"`
	}
	title := "x"
	for want, req := range map[string]request{
		"map[]":               {ID: 7},
		"map[title:x]":        {Title: &title},
		"map[size:2 title:x]": {inner: inner{number(2)}, Title: &title},
	} {
		if got := fmt.Sprint(setting.Given(req)); got != want {
			t.Errorf("%+v: %s, want %s", req, got, want)
		}
	}
}

func TestApply(t *testing.T) {
	now := settings{Size: 3, Title: "none", Limit: number(9)}
	for _, c := range []struct {
		asked   map[string]any
		changes string // names in the table's order; "!": refused
	}{
		{map[string]any{}, ""},
		{map[string]any{"size": 3, "limit": number(9), "unknown": 1}, ""},
		{map[string]any{"title": "a", "size": 5}, "size title "},
		{map[string]any{"limit": (*int)(nil)}, "limit "},
		{map[string]any{"title": "a", "size": 6}, "!"},
		{map[string]any{"size": 4, "title": "abcde"}, "!"},
		{map[string]any{"title": "a\x00"}, "!"},
		{map[string]any{"title": "\xff"}, "!"},
	} {
		next, changes, err := setting.Apply(now, c.asked, rows())
		got := ""
		for _, x := range changes {
			got += x.Name + " "
		}
		if err != nil {
			got = "!"
			if next != now {
				t.Errorf("%v: refused, but changed", c.asked)
			}
		}
		if got != c.changes {
			t.Errorf("%v: %q, want %q", c.asked, got, c.changes)
		}
	}
}

func TestDiffering(t *testing.T) {
	a, b := settings{Size: 1, Limit: number(2)}, settings{Size: 2, Limit: number(2)}
	if got := fmt.Sprint(setting.Differing(a, b)); got != "map[size:1]" {
		t.Errorf("differing: %s", got)
	}
}

func TestLanguage(t *testing.T) {
	for code, ok := range map[string]bool{"en": true, "pt-br": true, "": false, "xx": false} {
		if err := setting.Language("", code); (err == nil) != ok {
			t.Errorf("%q: %v", code, err)
		}
	}
	if setting.LanguageName("de") != "Deutsch" {
		t.Error("languages must be named in their own language")
	}
}
