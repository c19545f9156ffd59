package message

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/user"
)

func TestCheckRoom(t *testing.T) {
	of := func(emoji, each int) (out []Reaction) {
		for e := range emoji {
			for range each {
				out = append(out, Reaction{Type: UnicodeEmoji, Code: fmt.Sprint(e), User: user.ID(100 + e)})
			}
		}
		return out
	}
	by := func(u user.ID, all []Reaction) []Reaction {
		for i := range all {
			all[i].User = u
		}
		return all
	}
	later := func(u user.ID, all []Reaction) []Reaction { // after others
		for i := range all {
			all = append(all, Reaction{Type: all[i].Type, Code: all[i].Code, User: u})
		}
		return all
	}
	bots := func(u user.ID) user.ID { return u % 1000 } // 1001 is a bot of 1
	const emoji, all = "A message can have reactions with at most 50 different emoji.",
		"A message can have at most 5000 reactions."
	const own = "You can add at most 10 different emoji to a message. You can still react with those of others."
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
		{"the last own emoji", by(1, of(9, 1)), Reaction{Type: UnicodeEmoji, Code: "new", User: 1}, ""},
		{"one own emoji too many", by(1, of(10, 1)), Reaction{Type: UnicodeEmoji, Code: "new", User: 1}, own},
		{"a bot's", by(1, of(10, 1)), Reaction{Type: UnicodeEmoji, Code: "new", User: 1001}, own},
		{"a new one after many of others", later(1, of(40, 1)), Reaction{Type: UnicodeEmoji, Code: "new", User: 1}, ""},
		{"the last reaction", of(1, 4999), Reaction{Type: UnicodeEmoji, Code: "0"}, ""},
		{"one reaction too many", of(1, 5000), Reaction{Type: UnicodeEmoji, Code: "0"}, all},
	} {
		got := ""
		if err := CheckReactionLimits(c.now, c.add, bots); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
