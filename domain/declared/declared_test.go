package declared_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

var (
	loud   = declared.ForRealm("loud", declared.Bool(true), "Loud", "Loud.")
	lines  = declared.ForUser("lines", declared.Int(3, 1, 5), "Lines", "Lines.")
	color  = declared.ForChannel("color", declared.OneOf("red", "red", "blue"), "Color", "Color.")
	motto  = declared.ForRealm("motto", declared.Text("", 5), "Motto", "Motto.").ByOwners()
	paints = declared.ForChannel("paints", declared.Group(group.Rule{Default: group.Members}), "Paints", "Paints.")
)

func catalog() *declared.Catalog {
	var all []*declared.Setting
	for _, s := range []declared.Any{loud, lines, color, motto, paints} {
		all = append(all, s.Declaration())
	}
	return declared.NewCatalog(all)
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		of   declared.Any
		raw  string
		want string // "!": refused
	}{
		{loud, "false", "false"}, {loud, "1", "!"}, {loud, `"true"`, "!"}, {loud, "null", "!"},
		{lines, "5", "5"}, {lines, "0", "!"}, {lines, "6", "!"}, {lines, "1.5", "!"},
		{color, `"blue"`, `"blue"`}, {color, `"green"`, "!"}, {color, `7`, "!"},
		{motto, `"ééééé"`, `"ééééé"`}, {motto, `"éééééé"`, "!"}, {motto, `"\u0000"`, "!"}, {motto, `""`, `""`},
		{paints, "7", "7"}, {paints, `{"direct_members":[],"direct_subgroups":[3]}`, "3"}, {paints, `"x"`, "!"},
	} {
		v, err := c.of.Declaration().Read([]byte(c.raw))
		got := "!"
		if err == nil {
			text, _ := json.Marshal(v)
			got = string(text)
		} else if !errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", c.raw, err)
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.of.Declaration().Key, c.raw, got, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	one := func(key, label, doc string) declared.Any {
		return declared.ForRealm(key, declared.Bool(true), label, doc)
	}
	of := func(k declared.Kind[int]) declared.Any { return declared.ForUser("x", k, "X", "X.") }
	word := func(k declared.Kind[string]) declared.Any { return declared.ForUser("x", k, "X", "X.") }
	for _, c := range []struct {
		of   declared.Any
		want string
	}{
		{one("x", "X", "X."), ""}, {motto, ""}, {paints, ""},
		{one("X", "X", "X."), "lower-case"}, {one("", "X", "X."), "lower-case"},
		{one("x", "", "X."), "label"}, {one("x", "X", "X"), "sentence"},
		{of(declared.Int(6, 1, 5)), "default"}, {of(declared.Int(1, 1, 1)), "no choice"},
		{word(declared.Text("abc", 2)), "default"}, {word(declared.Text("", 0)), "no choice"},
		{word(declared.OneOf("a", "b", "c")), "default"}, {word(declared.OneOf("a", "a")), "two options"},
		{word(declared.OneOf("a", "a", "b", "a")), "different"},
		{declared.ForRealm("x", declared.Group(group.Rule{}), "X", "X."), "system group"},
		{declared.ForRealm("x", declared.Group(group.Rule{Default: group.Nobody}), "X", "X."), "system group"},
		{declared.ForChannel("x", declared.Group(group.Rule{Default: group.Members}), "X", "X.").Public(),
			"cannot be a group"},
		{declared.ForUser("x", declared.Bool(true), "X", "X.").Public(), ""},
		{declared.ForUser("x", declared.Group(group.Rule{Default: group.Members}), "X", "X."), "cannot be a group"},
	} {
		got := strings.Join(c.of.Declaration().Problems(), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.of.Declaration().Key, got, c.want)
		}
	}
}

func TestShared(t *testing.T) {
	var b directory.Builder
	declared.Shared.Put(&b, catalog().State([]declared.Change{
		{Key: "loud", New: []byte("false")}, {Key: "lines", ID: 7, New: []byte("5")}, {Key: "gone", New: []byte("1")},
		{Key: "lines", ID: 8, New: []byte("9")}, // from before the limit was lowered
	}))
	v := b.View(1)
	if loud.In(v) || lines.Of(v, 7) != 5 || lines.Of(v, 8) != 3 || color.Of(v, 4) != "red" || motto.In(v) != "" {
		t.Errorf("loaded: %v %d %d %s", loud.In(v), lines.Of(v, 7), lines.Of(v, 8), color.Of(v, 4))
	}
	changes := []directory.Change{
		declared.Shared.Change(declared.Change{Key: "color", ID: 4, New: []byte(`"blue"`)}),
		declared.Shared.Change(declared.Change{Key: "lines", ID: 7, Old: []byte("5")}),
		declared.Shared.Change(declared.Change{Key: "gone", New: []byte("2")}),
	}
	next := v.Apply(2, changes...)
	if color.Of(next, 4) != "blue" || lines.Of(next, 7) != 3 || color.Of(v, 4) != "red" || lines.Of(v, 7) != 5 {
		t.Errorf("changed: %s %d", color.Of(next, 4), lines.Of(next, 7))
	}
	if d := next.Undo(2, changes...).Differences(v); len(d) > 0 {
		t.Errorf("undone: %v", d)
	}
	if !loud.In(directory.Empty().Apply(1, changes...)) {
		t.Error("a view without settings has no defaults")
	}
	if got := declared.In(next).Groups(declared.OfChannel, 4)["paints"]; !got.Equal(group.Named(group.Members)) {
		t.Errorf("the permission is %v", got)
	}
	if s := declared.In(v).Setting(declared.OfUser, "loud"); s != nil {
		t.Error("a setting of the organization was found among personal ones")
	}
	if motto.By != user.Owner || loud.By != user.Admin {
		t.Error("wrong roles")
	}
}
