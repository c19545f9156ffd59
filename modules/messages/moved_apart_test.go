package messages_test

import (
	"fmt"
	"testing"
)

// When messages move together and then apart before delivery, users are notified of the places of those that they can
// still read, without content if they cannot read the edited message.
func TestEventsOfMovedApart(t *testing.T) {
	s := startFull(t)
	rooms := map[string]int64{}
	for name, who := range map[string][]string{"first": {"olga", "bob", "alice"}, "second": {"olga", "bob", "alice"},
		"third": {"olga", "bob"}} {
		for _, kind := range []string{"protected", "shared"} {
			rooms[kind+" "+name] = makeChannel(s, kind+" "+name, who, "invite_only", "true", "history_public_to_subscribers",
				fmt.Sprint(kind == "shared"))
		}
	}
	for _, c := range []struct {
		name, kind, bob, alice string
		params                 []string // of the first change
	}{
		{"to a channel", "protected", "update [1 2] second, update [1] third", "update [1 2] second, delete [1]",
			[]string{"to", "second"}},
		{"to a channel, shared", "shared", "update [1 2] second, update [1] third", "update [1 2] second, delete [1]",
			[]string{"to", "second"}},
		{"to a topic", "protected", "update [1 2] u, update [1] third", "update [1 2] u, delete [1]", []string{"topic", "u"}},
		{"edited", "protected", "update [1 2] u old new, update [1] third", "update [1 2] u, delete [1]",
			[]string{"topic", "u", "content", "new"}},
		{"edited, shared", "shared", "update [1 2] u old new, update [1] third", "update [1 2] u, delete [1]",
			[]string{"topic", "u", "content", "new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := post(s, "olga", c.kind+" first", c.name, "old"), post(s, "olga", c.kind+" first", c.name, "also")
			bob, alice := openQueue(s, "bob"), openQueue(s, "alice")
			short := func(q *queue) string {
				text := ""
				for i, e := range q.poll() {
					if i > 0 {
						text += ", "
					}
					ids, _ := e["message_ids"].([]any)
					text += e["type"].(string)[:6] + " ["
					for j, id := range ids {
						if j > 0 {
							text += " "
						}
						text += fmt.Sprint(map[any]int{float64(first): 1, float64(second): 2}[id])
					}
					text += "]"
					for name, id := range rooms {
						if e["new_stream_id"] == float64(id) {
							text += name[len(c.kind):]
						}
					}
					for _, key := range []string{"subject", "orig_content", "content"} {
						if shown, ok := e[key]; ok {
							text += fmt.Sprint(" ", shown)
						}
					}
				}
				return text
			}
			quiet := []string{"send_notification_to_new_thread", "false", "send_notification_to_old_thread", "false"}
			if c.params[0] == "to" {
				c.params = []string{"stream_id", fmt.Sprint(rooms[c.kind+" "+c.params[1]])}
			}
			edit(s, "olga", first, append(append(quiet, c.params...), "propagate_mode", "change_all")...).OK()
			edit(s, "olga", first, append(quiet, "stream_id", fmt.Sprint(rooms[c.kind+" third"]), "propagate_mode",
				"change_one")...).OK()
			if got := short(bob); got != c.bob {
				t.Errorf("bob received %q, want %q", got, c.bob)
			}
			if got := short(alice); got != c.alice {
				t.Errorf("alice received %q, want %q", got, c.alice)
			}
		})
	}
}
