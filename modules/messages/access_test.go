package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// makeChannel creates a channel with subscribers.
func makeChannel(s *kittest.Server, name string, subscribers []string, params ...string) int64 {
	s.T.Helper()
	s.As("olga").Do("POST /users/me/subscriptions", append([]string{
		"subscriptions", fmt.Sprintf(`[{"name":%q}]`, name), "principals", ids(s, subscribers...)}, params...)...).OK()
	return s.As("olga").Do("GET /get_stream_id", "stream", name).OK().Int("stream_id")
}

// subscribe subscribes a user and discards the resulting events.
func subscribe(s *kittest.Server, by, who, channel string) {
	s.T.Helper()
	s.As(by).Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, channel), "principals",
		ids(s, who),
		"send_new_subscription_messages", "false").OK()
}

func TestProtectedHistory(t *testing.T) {
	s := startFull(t)
	vault := makeChannel(s, "vault", []string{"olga", "alice"}, "invite_only", "true", "history_public_to_subscribers",
		"false")
	before := post(s, "olga", "vault", "old", "x")
	subscribe(s, "olga", "bob", "vault")
	during := post(s, "olga", "vault", "new", "x")
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", before)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", during)).OK()
	for _, narrow := range []string{`[]`, `[["channel","vault"]]`, `[["sender","olga@example.com"]]`} {
		if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow", narrow); p.ids() != fmt.Sprint(during) {
			t.Errorf("bob, %s: %s", narrow, p.ids())
		}
		if p := list(s, "alice", "anchor", "newest", "num_before", "10", "narrow", narrow); p.ids() != fmt.Sprint(before, " ",
			during) && p.ids() != fmt.Sprintf("%d %d", before, during) {
			t.Errorf("alice, %s: %s", narrow, p.ids())
		}
	}
	s.As("bob").Do(fmt.Sprintf("GET /users/me/%d/topics", vault)).Is(200,
		fmt.Sprintf(`{"result":"success","msg":"","topics":[{"name":"new","max_id":%d}]}`, during))
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["vault"]`).OK()
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", during)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	if p := list(s, "bob", "anchor", "newest", "num_before", "10"); p.ids() != "" {
		t.Errorf("after leaving: %s", p.ids())
	}
	missed := post(s, "olga", "vault", "new", "x")
	subscribe(s, "olga", "bob", "vault")
	again := post(s, "olga", "vault", "new", "x")
	if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow",
		`[["channel","vault"]]`); p.ids() != fmt.Sprintf("%d %d", during, again) {
		t.Errorf("after resubscribing: %s; %d was missed", p.ids(), missed)
	}
}

func TestSharedHistory(t *testing.T) {
	s := startFull(t)
	before := post(s, "olga", "secret", "x", "x")
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", before)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	subscribe(s, "olga", "bob", "secret")
	if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow",
		`[["channel","secret"]]`); p.ids() != fmt.Sprint(before) ||
		kittest.JSON(p.Messages[0].Flags) != `["read","historical"]` {
		t.Errorf("history of a private channel: %+v", p)
	}
	if p := list(s, "bob", "anchor", "newest", "num_before", "10"); p.ids() != "" {
		t.Errorf("own messages: %s", p.ids())
	}
}

func TestGuests(t *testing.T) {
	s := startFull(t)
	makeChannel(s, "den", []string{"olga"})
	id := post(s, "olga", "den", "x", "x")
	s.As("guest").Do(fmt.Sprintf("GET /messages/%d", id)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	s.As("adam").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
	s.As("guest").Do("POST /messages", "type", "stream", "to", "den", "topic", "x", "content", "x").
		Error(400, "BAD_REQUEST", "Not authorized to send to channel 'den'")
	s.As("guest").Do("GET /messages", "anchor", "newest", "num_before", "10", "narrow", `[["channel","den"]]`).
		Error(400, "BAD_NARROW", "Invalid narrow operator: unknown channel den")
	if p := list(s, "guest", "anchor", "newest", "num_before", "10", "narrow", `[["channels","public"]]`); p.ids() != "" {
		t.Errorf("public channels: %s", p.ids())
	}
}

func TestArchivedChannel(t *testing.T) {
	s := startFull(t)
	den := makeChannel(s, "den", []string{"olga", "bob"})
	id := post(s, "bob", "den", "x", "x")
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", den)).OK()
	s.Skip()
	s.As("bob").Do("POST /messages", "type", "stream", "to", fmt.Sprint(den), "topic", "x", "content", "x").
		Error(400, "BAD_REQUEST", "Not authorized to send to channel")
	s.NoEvents()
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
	if p := list(s, "adam", "anchor", "newest", "num_before", "10", "narrow",
		fmt.Sprintf(`[{"operator":"channel","operand":%d}]`, den)); p.ids() == "" {
		t.Error("an archived channel is unreadable")
	}
}

func TestDeactivated(t *testing.T) {
	s := startFull(t)
	sendDirect(s, "alice", "x", "bob")
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK()
	s.Skip()
	s.As("alice").Do("POST /messages", "type", "direct", "to", ids(s, "bob"), "content", "x").
		Error(400, "BAD_REQUEST", "is no longer using Stoa.")
	s.NoEvents()
	s.As("bob").Do("GET /messages", "anchor", "newest").Error(401, "UNAUTHORIZED", "deactivated")
	if p := list(s, "alice", "anchor", "newest", "num_before", "10"); len(p.Messages) != 1 {
		t.Errorf("a conversation with a deactivated user: %s", p.ids())
	}
}

func TestRealmSettings(t *testing.T) {
	s := startFull(t)
	set := func(name, value string) { t.Helper(); s.As("olga").Do("PATCH /realm", name, value).OK(); s.Skip() }
	const owners, everyone = `{"new":2}`, `{"new":7}`
	set("direct_message_permission_group", owners)
	s.As("alice").Do("POST /messages", "type", "direct", "to", ids(s, "bob"), "content", "x").
		Error(400, "BAD_REQUEST", "This conversation does not include any users who can authorize it.")
	sendDirect(s, "alice", "x", "olga")
	set("direct_message_permission_group", everyone)
	set("direct_message_initiator_group", owners)
	s.As("alice").Do("POST /messages", "type", "direct", "to", ids(s, "bob"), "content", "x").
		Error(400, "BAD_REQUEST", "You do not have permission to initiate direct message conversations.")
	sendDirect(s, "alice", "x", "olga")
	set("topics_policy", "disable_empty_topic")
	s.As("alice").Do("POST /messages", "type", "stream", "to", "general", "topic", "", "content", "x").Error(400,
		"BAD_REQUEST", "general chat")
	post(s, "alice", "general", "x", "x")
}

func TestChannelSettings(t *testing.T) {
	s := startFull(t)
	general := s.ChannelID("general")
	set := func(name, value string) *kittest.Response {
		t.Helper()
		return s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", general), name, value)
	}
	first := post(s, "alice", "general", "begun", "x")
	if got := s.As("bob").Do(fmt.Sprintf("GET /streams/%d", general)).OK().Int("stream.first_message_id"); got != first {
		t.Errorf("first_message_id %d, want %d", got, first)
	}
	set("can_create_topic_group", `{"new":2}`).OK()
	s.As("alice").Do("POST /messages", "type", "stream", "to", "general", "topic", "new", "content", "x").
		Error(400, "BAD_REQUEST", "You do not have permission to create new topics in this channel.")
	post(s, "alice", "general", "BEGUN", "x")
	post(s, "olga", "general", "new", "x")
	post(s, "alice", "general", "new", "x")
	set("can_send_message_group", `{"new":2}`).OK()
	s.As("alice").Do("POST /messages", "type", "stream", "to", "general", "topic", "new", "content", "x").
		Error(400, "BAD_REQUEST", "You do not have permission to post in this channel.")
	set("topics_policy", "empty_topic_only").Error(400, "BAD_REQUEST", "general chat")
	s.Restart()
	if got := s.As("bob").Do(fmt.Sprintf("GET /streams/%d", general)).OK().Int("stream.first_message_id"); got != first {
		t.Errorf("after a restart: first_message_id %d, want %d", got, first)
	}
}

// GET /users/me returns the newest message that the caller has received, not the newest in the realm.
func TestNewestMessage(t *testing.T) {
	s := startFull(t)
	newest := func(who string) int64 { return s.As(who).Do("GET /users/me").OK().Int("max_message_id") }
	makeChannel(s, "two", []string{"olga", "alice"})
	if got := newest("bob"); got != -1 {
		t.Errorf("before any message: %d", got)
	}
	id := post(s, "olga", "two", "t", "x")
	if got := newest("alice"); got != id {
		t.Errorf("alice: %d, want %d", got, id)
	}
	if got := newest("bob"); got != -1 {
		t.Errorf("bob received nothing: %d", got)
	}
}
