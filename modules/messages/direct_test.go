package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// At least one participant must be in the permission group; if the conversation has no messages yet, the sender must be
// in the initiator group.
func TestDirectPermissions(t *testing.T) {
	s := startFull(t)
	const (
		none  = "This conversation does not include any users who can authorize it."
		off   = "Direct messages are disabled in this organization."
		begin = "You do not have permission to initiate direct message conversations."
	)
	nobody, everyone, olga := systemGroup(s, "nobody"), systemGroup(s, "everyone"), onlyUsers(s, "olga")
	begun := sendDirect(s, "mona", "x", "adam") // sent before any of the settings changes
	s.As("adam").Do(fmt.Sprintf("GET /messages/%d", begun)).OK()
	for _, c := range []struct {
		permit, initiate string
		as               string
		to               []string
		refused          string
	}{
		{olga, everyone, "alice", []string{"bob"}, none},
		{olga, everyone, "alice", []string{"olga"}, ""}, // permitted through the recipient
		{olga, everyone, "olga", []string{"bob"}, ""},   // permitted through the sender
		{olga, everyone, "alice", []string{"bob", "olga"}, ""},
		{olga, everyone, "alice", []string{"bob", "guest"}, none},
		{olga, everyone, "alice", []string{"alice"}, ""},        // to oneself
		{olga, everyone, "alice", []string{"bot"}, ""},          // to bots
		{olga, everyone, "alice", []string{"bot", "bob"}, none}, // a bot among the recipients is not enough
		{olga, everyone, "bot", []string{"bob"}, ""},            // from a bot
		{nobody, everyone, "olga", []string{"bob"}, off},
		{nobody, everyone, "olga", []string{"olga"}, ""},
		{nobody, everyone, "bob", []string{"bot"}, ""},
		{nobody, everyone, "bot", []string{"mona"}, ""},
		{everyone, olga, "alice", []string{"mona"}, begin},
		{everyone, olga, "olga", []string{"mona"}, ""},
		{everyone, olga, "mona", []string{"olga"}, ""},           // begun by the case before
		{everyone, olga, "adam", []string{"mona"}, ""},           // begun when the group was everyone
		{everyone, olga, "adam", []string{"mona", "bob"}, begin}, // another conversation
		{everyone, olga, "guest", []string{"guest"}, ""},
		{everyone, olga, "guest", []string{"bot"}, ""},
		{everyone, olga, "bot", []string{"guest"}, ""},
		{olga, olga, "alice", []string{"guest"}, none}, // both checks fail; the first is reported
		{everyone, nobody, "olga", []string{"guest"}, begin},
	} {
		s.As("olga").Do("PATCH /realm", "direct_message_permission_group", c.permit, "direct_message_initiator_group",
			c.initiate).OK()
		t.Run(fmt.Sprintf("%s and %s, %s to %v", c.permit, c.initiate, c.as, c.to), func(t *testing.T) {
			s := s.In(t)
			s.Skip()
			a := s.As(c.as).Do("POST /messages", "type", "direct", "to", ids(s, c.to...), "content", "x")
			if c.refused == "" {
				a.Is(200, `{"result":"success","msg":"","id":"*"}`)
				return
			}
			a.Error(400, "BAD_REQUEST", c.refused)
			s.NoEvents()
		})
	}
}

// Recipients are validated before group permissions.
func TestDirectOrder(t *testing.T) {
	s := startFull(t)
	s.As("olga").Do("PATCH /realm",
		"direct_message_permission_group", systemGroup(s, "nobody"), "can_access_all_users_group",
		systemGroup(s, "members")).OK()
	makeChannel(s, "apart", []string{"mona"})
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("adam"))).OK()
	s.Skip()
	send := func(as, to string) *kittest.Response {
		return s.As(as).Do("POST /messages", "type", "direct", "to", to, "content", "x")
	}
	send("alice", "[9999]").Error(400, "BAD_REQUEST", "Invalid user ID 9999")
	send("alice", `["nobody@example.com"]`).Error(400, "BAD_REQUEST", "Invalid email 'nobody@example.com'")
	send("alice", ids(s, "adam")).Error(400, "BAD_REQUEST", "is no longer using Stoa.")
	send("guest", ids(s, "mona")).Error(400, "BAD_REQUEST", "You do not have permission to access some of the recipients.")
	send("guest", ids(s, "bob", "mona")).Error(400, "BAD_REQUEST",
		"You do not have permission to access some of the recipients.")
	send("guest", ids(s, "bob")).Error(400, "BAD_REQUEST", "Direct messages are disabled in this organization.")
	send("alice", ids(s, "mona")).Error(400, "BAD_REQUEST", "Direct messages are disabled in this organization.")
	s.NoEvents()
}

// A conversation is identified by its set of participants, however a request names them.
func TestOneConversation(t *testing.T) {
	s := startFull(t)
	alice, bob, olga := s.UserID("alice"), s.UserID("bob"), s.UserID("olga")
	queues := map[string]*queue{"alice": listen(s, "alice"), "bob": listen(s, "bob"), "olga": listen(s, "olga"),
		"adam": listen(s, "adam")}
	var recipient int64
	for i, c := range []struct{ as, to string }{
		{"alice", fmt.Sprintf("[%d,%d]", bob, olga)},
		{"bob", fmt.Sprintf("[%d,%d,%d,%d]", olga, alice, olga, bob)},
		{"olga", `["alice@example.com","bob@example.com"]`},
		{"alice", "BOB@example.com, olga@example.com"},
		{"bob", `"alice@example.com,olga@example.com"`},
	} {
		id := s.As(c.as).Do("POST /messages", "type", "private", "to", c.to, "content", "x").OK().Int("id")
		for _, who := range []string{"alice", "bob", "olga"} {
			got := s.As(who).Do(fmt.Sprintf("GET /messages/%d", id)).OK()
			if r := got.Int("message.recipient_id"); recipient != 0 && r != recipient {
				t.Errorf("%d: %s sees the conversation %d, want %d", i, who, r, recipient)
			} else {
				recipient = r
			}
			if n := len(got.Get("message.display_recipient").([]any)); n != 3 {
				t.Errorf("%d: %s sees %d participants", i, who, n)
			}
		}
		for who, q := range queues {
			if got, want := len(q.poll()), map[bool]int{true: 0, false: 1}[who == "adam"]; got != want {
				t.Errorf("%d: %s received %d events, want %d", i, who, got, want)
			}
		}
		s.As("adam").Do(fmt.Sprintf("GET /messages/%d", id)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	}
}
