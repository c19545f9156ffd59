package messages_test

import (
	"fmt"
	"testing"
)

// The released terminal client also receives the user of a reaction in the legacy form, if its own user can see that
// user. Other clients do not.
func TestTerminalGetsReactingUser(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "x", "x")
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", systemGroup(s, "members")).OK()
	listening := func(as, agent string) *queue {
		c := s.As(as).Agent(agent)
		return &queue{c.Register("event_types", `["reaction"]`, "fetch_event_types", "[]"), s}
	}
	const released = "ZulipTerminal/0.7.0 (Linux; 6.1)"
	alice, guest, phone, other := listening("alice", released), listening("guest", released),
		listening("alice", "ZulipFlutter/30.0"), listening("alice", "Terminal")
	event := func(op, by, more string) string {
		return fmt.Sprintf(`{"type":"reaction","op":%q,"message_id":%d,"user_id":%d,"emoji_name":"heart",`+
			`"emoji_code":"2764","reaction_type":"unicode_emoji"%s}`, op, id, s.UserID(by), more)
	}
	named := func(by, email, name string) string {
		return fmt.Sprintf(`,"user":{"user_id":%d,"email":%q,"full_name":%q}`, s.UserID(by), email, name)
	}
	react(s, "adam", id, "emoji_name", "heart").OK() // shares no channel with the guest
	sameJSON(t, "alice", alice.of("reaction"), event("add", "adam", named("adam", "adam@example.com", "Adam")))
	sameJSON(t, "guest", guest.of("reaction"), event("add", "adam", named("adam", "", "Unknown user")))
	sameJSON(t, "the phone", phone.of("reaction"), event("add", "adam", ""))
	sameJSON(t, "another client", other.of("reaction"), event("add", "adam", ""))
	s.As("adam").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "heart").OK()
	react(s, "bob", id, "emoji_name", "heart").OK()
	sameJSON(t, "guest", guest.of("reaction"), event("remove", "adam", named("adam", "", "Unknown user")),
		event("add", "bob", named("bob", "bob@example.com", "Bob")))
}
