package linkifier_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/linkifier"
)

func text(s string) *string { return &s }

func TestCheck(t *testing.T) {
	there := linkifier.NewList(
		&linkifier.Linkifier{ID: 1, Pattern: `taken(?P<id>\d)`, URLTemplate: "u/{id}"},
		&linkifier.Linkifier{ID: 2, Pattern: `big(?:a{0,499})`, URLTemplate: "u"},
	)
	const id, url = `#(?P<id>\d+)`, "https://x.org/{id}"
	const schemes = "URL templates must begin with http://, https:// or mailto:."
	for _, c := range []struct {
		one   linkifier.Linkifier
		field string // "": accepted
		want  string
	}{
		{linkifier.Linkifier{Pattern: id, URLTemplate: url}, "", ""},
		{linkifier.Linkifier{Pattern: "x", URLTemplate: "https://x.org"}, "", ""},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "mailto:{id}@x.org", Alternatives: []string{"HTTP://x.org/{id}"}}, "",
			""},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "javascript:alert({id})"}, "url_template", schemes},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "{id}"}, "url_template", schemes},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "{+id}://x"}, "url_template", schemes},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "/x/{id}"}, "url_template", schemes},
		{linkifier.Linkifier{Pattern: id, URLTemplate: " https://x/{id}"}, "url_template", schemes},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "https:{id}"}, "url_template", schemes},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "data:text/html,{id}"}, "url_template", schemes},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Alternatives: []string{"javascript:{id}"}},
			"alternative_url_templates", schemes},
		{linkifier.Linkifier{Pattern: `(?P<a>a)(?P<b>b)(c)`, URLTemplate: "https://{b}.org{/a}{?a,b:3}"}, "", ""},
		{linkifier.Linkifier{ID: 1, Pattern: `taken(?P<id>\d)`, URLTemplate: url}, "", ""},
		{linkifier.Linkifier{Pattern: "", URLTemplate: url}, "pattern", "This field cannot be blank."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: ""}, "url_template", "This field cannot be blank."},
		{linkifier.Linkifier{Pattern: "(foo", URLTemplate: url}, "pattern", "Bad regular expression: missing ): (foo"},
		{linkifier.Linkifier{Pattern: "foo)", URLTemplate: url}, "pattern", "Bad regular expression: unexpected ): foo)"},
		{linkifier.Linkifier{Pattern: "[a", URLTemplate: url}, "pattern", "Bad regular expression: missing ]: [a"},
		{linkifier.Linkifier{Pattern: `Z-(?P<id>\d????)`, URLTemplate: url}, "pattern",
			"Bad regular expression: bad repetition operator: ????"},
		{linkifier.Linkifier{Pattern: "*a", URLTemplate: url}, "pattern",
			"Bad regular expression: no argument for repetition operator: *"},
		{linkifier.Linkifier{Pattern: "a{1001}", URLTemplate: url}, "pattern",
			"Bad regular expression: invalid repetition size: {1001}"},
		{linkifier.Linkifier{Pattern: `a\`, URLTemplate: url}, "pattern",
			`Bad regular expression: trailing \ at end of regexp`},
		{linkifier.Linkifier{Pattern: `(?P<id>a)(?=b)`, URLTemplate: url}, "pattern",
			"Bad regular expression: invalid perl operator: (?="},
		{linkifier.Linkifier{Pattern: `(?P<id>a)\1`, URLTemplate: url}, "pattern",
			`Bad regular expression: invalid escape sequence: \1`},
		{linkifier.Linkifier{Pattern: `(?P<id>a)(?P<id>b)`, URLTemplate: url}, "pattern",
			"Bad regular expression: invalid named capture group: id"},
		{linkifier.Linkifier{Pattern: `(?P<id>a{900})`, URLTemplate: url}, "pattern",
			"Bad regular expression: pattern too large"},
		{linkifier.Linkifier{Pattern: "#\x00(?P<id>a)", URLTemplate: url}, "pattern", "Null characters are not allowed."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url + "\x00"}, "url_template", "Null characters are not allowed."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Alternatives: []string{url + "\x00"}},
			"alternative_url_templates", "Null characters are not allowed."},
		{linkifier.Linkifier{Pattern: `.(?P<id>a)`, URLTemplate: url, ExampleInput: text("\x00a")}, "example_input",
			"Null characters are not allowed."},
		{linkifier.Linkifier{Pattern: `(?P<id>a)`, URLTemplate: url, ExampleInput: text("a"), Reverse: text("\x00{id}")},
			"reverse_template", "Null characters are not allowed."},
		{linkifier.Linkifier{Pattern: strings.Repeat("ä", 1001), URLTemplate: url}, "pattern",
			"pattern is too long (limit: 1000 characters)"},
		{linkifier.Linkifier{Pattern: id, URLTemplate: strings.Repeat("ä", 2001)}, "url_template",
			"url_template is too long (limit: 2000 characters)"},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "https://x.org/{id"}, "url_template", "Invalid URL template."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: "https://$x"}, "__all__",
			"Group 'id' in linkifier pattern is not present in URL template."},
		{linkifier.Linkifier{Pattern: "x", URLTemplate: url}, "__all__",
			"Group 'id' in URL template is not present in linkifier pattern."},
		{linkifier.Linkifier{Pattern: `(?P<b>)(?P<a>)`, URLTemplate: "https://{z}{y}"}, "__all__",
			"Group 'y' in URL template is not present in linkifier pattern."},
		{linkifier.Linkifier{Pattern: `(?P<b>)(?P<a>)`, URLTemplate: "https://x"}, "__all__",
			"Group 'a' in linkifier pattern is not present in URL template."},
		{linkifier.Linkifier{ID: 3, Pattern: `taken(?P<id>\d)`, URLTemplate: url}, "__all__",
			"Linkifier with this pattern already exists."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Alternatives: []string{"http://y.org/{id}"}}, "", ""},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Alternatives: []string{"{"}}, "alternative_url_templates",
			"Invalid URL template."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Alternatives: []string{""}}, "alternative_url_templates",
			"This field cannot be blank."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Alternatives: []string{"mailto:x"}}, "alternative_url_templates",
			"Group 'id' in linkifier pattern is not present in URL template."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Alternatives: []string{"HTTP://{id}{x}"}},
			"alternative_url_templates", "Group 'x' in URL template is not present in linkifier pattern."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Alternatives: make([]string, 21)}, "alternative_url_templates",
			"Too many alternative URL templates (limit: 20)"},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, ExampleInput: text("#12")}, "", ""},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, ExampleInput: text("#12 x")}, "example_input",
			"Example input does not match the pattern."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, ExampleInput: text("#12"), Reverse: text("#{id}")}, "", ""},
		{linkifier.Linkifier{Pattern: `\{(?P<id>a)\}(?P<x>b)?`, URLTemplate: "https://{id}{x}", ExampleInput: text("{a}"),
			Reverse: text("{{{id}}}{x}")}, "", ""},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, Reverse: text("#{id}")}, "reverse_template",
			"Reverse template requires an example input."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, ExampleInput: text("#12"), Reverse: text("{id}")},
			"reverse_template", "Reverse template does not reproduce the example input."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, ExampleInput: text("#12"), Reverse: text("#{x}")},
			"reverse_template", "Group 'x' in reverse template is not present in linkifier pattern."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, ExampleInput: text("#12"), Reverse: text("#{id")},
			"reverse_template", "Invalid reverse template."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, ExampleInput: text("#12"), Reverse: text("#{}")},
			"reverse_template", "Invalid reverse template."},
		{linkifier.Linkifier{Pattern: id, URLTemplate: url, ExampleInput: text("#12"), Reverse: text("#}")},
			"reverse_template", "Invalid reverse template."},
	} {
		err := there.Check(&c.one)
		if c.field == "" {
			if err != nil {
				t.Errorf("%+v: %v", c.one, err)
			}
			continue
		}
		var e *errs.Error
		if !errors.As(err, &e) || e.Code != errs.BadRequest || e.Msg != c.want {
			t.Errorf("%+v: got %v, want %s", c.one, err, c.want)
			continue
		}
		if got := e.Extra["errors"].(map[string][]string)[c.field]; len(got) == 0 || got[0] != c.want {
			t.Errorf("%+v: errors are %v", c.one, e.Extra)
		}
	}
	var e *errs.Error
	err := there.Check(&linkifier.Linkifier{Pattern: "(", URLTemplate: "{", Alternatives: []string{"}"}})
	if !errors.As(err, &e) || fmt.Sprint(e.Extra["errors"]) != "map[alternative_url_templates:[Invalid URL template.] "+
		"pattern:[Bad regular expression: missing ): (] url_template:[Invalid URL template.]]" {
		t.Errorf("all problems: %v", e.Extra)
	}
	big := []*linkifier.Linkifier{}
	for i := range 5 {
		big = append(big, &linkifier.Linkifier{ID: linkifier.ID(i), Pattern: fmt.Sprintf("%da{240}b{240}", i),
			URLTemplate: "x"})
	}
	err = linkifier.NewList(big...).Check(&linkifier.Linkifier{ID: 9, Pattern: "a{100}", URLTemplate: "https://x"})
	if err == nil || err.Error() != "The patterns of all linkifiers together are too large." {
		t.Errorf("too large in total: %v", err)
	}
}

func TestOrder(t *testing.T) {
	one := func(id linkifier.ID, order int64) *linkifier.Linkifier {
		return &linkifier.Linkifier{ID: id, Order: order}
	}
	l := linkifier.NewList(one(3, 9), one(1, 2), one(2, 2))
	order := func(l *linkifier.List) string {
		var ids []linkifier.ID
		for _, c := range l.All() {
			ids = append(ids, c.ID)
		}
		return fmt.Sprint(ids)
	}
	if got := order(l); got != "[1 2 3]" || l.Next() != 10 {
		t.Errorf("%s, next %d", got, l.Next())
	}
	var none *linkifier.List
	if none.Next() != 1 || none.All() != nil || none.Get(1) != nil {
		t.Error("the empty list is not empty")
	}
	if got := order(none.With(nil, one(4, 1)).With(nil, one(5, 0))); got != "[5 4]" {
		t.Error(got)
	}
	moved, err := l.Reorder([]linkifier.ID{3, 2, 1})
	if err != nil || len(moved) != 2 { // the second one exists already
		t.Errorf("%v %v", moved, err)
	}
	now := l
	for _, m := range moved {
		now = now.With(m.Old, m.New)
	}
	if order(now) != "[3 2 1]" || order(l) != "[1 2 3]" {
		t.Errorf("%s from %s", order(now), order(l))
	}
	if got := order(now.With(now.Get(2).Linkifier, nil)); got != "[3 1]" {
		t.Error(got)
	}
	for _, ids := range [][]linkifier.ID{nil, {1, 2}, {1, 2, 2}, {1, 2, 4}, {1, 2, 3, 3}, {1, 2, 3, 4}} {
		if _, err := l.Reorder(ids); err == nil || !strings.HasPrefix(err.Error(), "The ordered list must") {
			t.Errorf("%v: %v", ids, err)
		}
	}
	if moved, err := none.Reorder(nil); err != nil || !slices.Equal(moved, nil) {
		t.Errorf("%v %v", moved, err)
	}
}
