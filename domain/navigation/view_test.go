package navigation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/navigation"
)

func named(s string) *string { return &s }

func text(err error) string {
	var e *errs.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return ""
}

func TestNew(t *testing.T) {
	had := []navigation.View{{Fragment: "inbox"}, {Fragment: "narrow/is/alerted", Name: named("Alerts")}}
	full := make([]navigation.View, navigation.MaxViews)
	for i := range full {
		full[i] = navigation.View{Fragment: fmt.Sprint(i), Name: named(fmt.Sprint(i))}
	}
	for _, c := range []struct {
		had      []navigation.View
		fragment string
		name     *string
		want     string // the error text
	}{
		{had, "recent", nil, ""},
		{had, " recent\n", nil, ""},
		{had, "narrow/is/starred", nil, ""},
		{had, "narrow/is/followed", named(" Followed "), ""},
		{had, "Inbox", named("Other"), ""}, // not built in: fragments are case-sensitive
		{had, "recent", named("Recent"), "Built-in views cannot have a custom name."},
		{had, "recent", named(""), "Built-in views cannot have a custom name."},
		{had, "", nil, "fragment cannot be blank"},
		{had, " \t", named("x"), "fragment cannot be blank"},
		{had, "a\x00b", named("x"), "Invalid characters in fragment"},
		{had, strings.Repeat("é", 1000), named("x"), ""},
		{had, strings.Repeat("é", 1001), named("x"), "fragment is too long (limit: 2000 bytes)"},
		{had, "inbox", nil, "Navigation view already exists."},
		{had, "narrow/is/followed", nil, ""},
		{had, "narrow/is/followed", named(" "), "The name of a view cannot be blank."},
		{had, "narrow/is/followed", named("a\nb"), "Invalid characters in name"},
		{had, "narrow/is/followed", named(" Alerts"), "Navigation view already exists."},
		{had, "narrow/is/followed", named("alerts"), ""},
		{had, "narrow/is/followed", named(strings.Repeat("é", 100)), ""},
		{had, "narrow/is/followed", named(strings.Repeat("é", 101)), "name is too long (limit: 100 characters)"},
		{full[1:], "recent", nil, ""},
		{full, "recent", nil, "Too many navigation views (limit: 200). Remove some first."},
	} {
		got, err := navigation.New(c.had, navigation.View{Fragment: c.fragment, Name: c.name, Pinned: true})
		if text(err) != c.want {
			t.Errorf("%q: %v, want %q", c.fragment, err, c.want)
		}
		if err != nil {
			continue
		}
		if got.Fragment != strings.TrimSpace(c.fragment) || !got.Pinned || (got.Name == nil) != (c.name == nil) ||
			got.Name != nil && *got.Name != strings.TrimSpace(*c.name) {
			t.Errorf("%q: %+v", c.fragment, got)
		}
	}
}

func TestChange(t *testing.T) {
	yes, no := true, false
	had := []navigation.View{{Fragment: "inbox", Pinned: true}, {Fragment: "a", Name: named("A")},
		{Fragment: "b", Name: named("B")}}
	show := func(v navigation.View) string {
		if v.Name == nil {
			return fmt.Sprint(v.Fragment, v.Pinned)
		}
		return fmt.Sprint(v.Fragment, v.Pinned, *v.Name)
	}
	for _, c := range []struct {
		name     string
		i        int
		c        navigation.Change
		want     string
		pins     bool // Pinned remains in the change
		names    bool
		wantText string
	}{
		{"pin", 1, navigation.Change{Pinned: &yes}, "atrueA", true, false, ""},
		{"unpin an unpinned one", 1, navigation.Change{Pinned: &no}, "afalseA", false, false, ""},
		{"unpin", 0, navigation.Change{Pinned: &no}, "inboxfalse", true, false, ""},
		{"name", 1, navigation.Change{Name: named(" C ")}, "afalseC", false, true, ""},
		{"the same name", 1, navigation.Change{Name: named("A")}, "afalseA", false, false, ""},
		{"another view's name", 1, navigation.Change{Name: named("B")}, "", false, false, "Navigation view already exists."},
		{"no name", 1, navigation.Change{Name: named("")}, "", false, false, "The name of a view cannot be blank."},
		{"name a built-in view", 0, navigation.Change{Pinned: &no, Name: named("X")}, "", false, false,
			"Built-in views cannot have a custom name."},
		{"nothing", 2, navigation.Change{}, "bfalseB", false, false, ""},
	} {
		left, got, err := c.c.Of(had, c.i)
		if text(err) != c.wantText {
			t.Errorf("%s: %v, want %q", c.name, err, c.wantText)
		}
		if err == nil && (show(got) != c.want || (left.Pinned != nil) != c.pins || (left.Name != nil) != c.names) {
			t.Errorf("%s: %s, %+v", c.name, show(got), left)
		}
	}
	if show(had[1]) != "afalseA" || show(had[0]) != "inboxtrue" {
		t.Errorf("the original was modified: %+v", had)
	}
}
