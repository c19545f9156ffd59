package message

import (
	"fmt"
	"testing"
)

func TestCheckRoom(t *testing.T) {
	of := func(emoji, each int) (out []Reaction) {
		for e := range emoji {
			for range each {
				out = append(out, Reaction{Type: UnicodeEmoji, Code: fmt.Sprint(e)})
			}
		}
		return out
	}
	const emoji, all = "A message can have reactions with at most 50 different emoji.",
		"A message can have at most 5000 reactions."
	for _, c := range []struct {
		name string
		now  []Reaction
		add  Reaction
		want string
	}{
		{"the first", nil, Reaction{Type: UnicodeEmoji, Code: "0"}, ""},
		{"the last emoji", of(49, 2), Reaction{Type: UnicodeEmoji, Code: "new"}, ""},
		{"one emoji too many", of(50, 2), Reaction{Type: UnicodeEmoji, Code: "new"}, emoji},
		{"an existing one", of(50, 2), Reaction{Type: UnicodeEmoji, Code: "49"}, ""},
		{"another type with the same code", of(50, 2), Reaction{Type: RealmEmoji, Code: "49"}, emoji},
		{"the last reaction", of(1, 4999), Reaction{Type: UnicodeEmoji, Code: "0"}, ""},
		{"one reaction too many", of(1, 5000), Reaction{Type: UnicodeEmoji, Code: "0"}, all},
	} {
		got := ""
		if err := CheckReactionLimits(c.now, c.add); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
