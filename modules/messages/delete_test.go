package messages_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

func TestDelete(t *testing.T) {
	s := startFull(t)
	general := int64(s.ChannelID("general"))
	first, id := post(s, "alice", "general", "", "first"), post(s, "alice", "general", "", "@**Bob** x")
	s.As("adam").Do(fmt.Sprintf("POST /messages/%d/reactions", first), "emoji_name", "heart").OK()
	// adam has reacted; mona has no state for the message.
	bob, adam, mona := openQueue(s, "bob"), openQueue(s, "adam"), openQueue(s, "mona")
	old := openQueue(s, "bob", "client_capabilities", `{"notification_settings_null":true}`)
	s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", first)).Is(200, `{"result":"success","msg":""}`)
	gone := fmt.Sprintf(`{"type":"delete_message","message_ids":[%d],"message_type":"stream","stream_id":%d,"topic":""}`,
		first, general)
	sameJSON(t, "bob", bob.of("delete_message"), gone)
	sameJSON(t, "adam", adam.of("delete_message"), gone)
	sameJSON(t, "mona", mona.of("delete_message"))
	sameJSON(t, "bob's old client", old.of("delete_message"),
		fmt.Sprintf(`{"type":"delete_message","message_id":%d,"message_type":"stream","stream_id":%d,"topic":"general chat"}`,
			first, general))
	if got := s.As("bob").Do(fmt.Sprintf("GET /streams/%d", general)).OK().Int("stream.first_message_id"); got != id {
		t.Errorf("the channel's first message is %d, want %d", got, id)
	}
	s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", first)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
	for _, narrow := range []string{`[]`, `[["channel","general"]]`, `[["is","mentioned"]]`, `[["is","unread"]]`} {
		if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow", narrow); p.ids() != "" {
			t.Errorf("%s still has %s", narrow, p.ids())
		}
	}
	if s.As("bob").Do(fmt.Sprintf("GET /streams/%d", general)).OK().Get("stream.first_message_id") != nil {
		t.Error("an empty channel has a first message")
	}
	if got := section(s, "bob", "unread_msgs",
		`["message","update_message_flags"]`); got != `{"count":0,"pms":[],"streams":[],"huddles":[],"mentions":[],`+
		`"old_unreads_missing":false}` {
		t.Errorf("unread: %s", got)
	}
	direct := sendDirect(s, "alice", "x", "bob")
	bob.poll()
	s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", direct)).OK()
	sameJSON(t, "bob", bob.of("delete_message"),
		fmt.Sprintf(`{"type":"delete_message","message_ids":[%d],"message_type":"private"}`, direct))
}

// A user who left a private channel before delivery is notified of the deletion, but not of the topic.
func TestDeletedBeforeLeaving(t *testing.T) {
	s := startFull(t)
	secret := int64(s.ChannelID("secret"))
	id := post(s, "olga", "secret", "plot", "x")
	alice, olga := openQueue(s, "alice"), openQueue(s, "olga")
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
	s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`).OK()
	const gone = `{"type":"delete_message","message_ids":[%d],"message_type":"stream","stream_id":%d,"topic":%q}`
	sameJSON(t, "alice", alice.of("delete_message"), fmt.Sprintf(gone, id, secret, ""))
	sameJSON(t, "olga", olga.of("delete_message"), fmt.Sprintf(gone, id, secret, "plot"))
}

func TestDeleteRefused(t *testing.T) {
	s := startFull(t)
	const no, late = "You don't have permission to delete this message",
		"The time limit for deleting this message has passed"
	general := s.ChannelID("general")
	set := func(name, value string) { t.Helper(); s.As("olga").Do("PATCH /realm", name, value).OK() }
	try := func(as, by, want string, age time.Duration) {
		t.Helper()
		id := post(s, by, "general", "x", "x")
		s.Clock.Advance(age)
		s.Skip()
		if got := errorText(s.As(as).Do(fmt.Sprintf("DELETE /messages/%d", id))); got != want {
			t.Errorf("%s deletes a message of %s: %q, want %q", as, by, got, want)
		}
		if want != "" {
			s.NoEvents()
		}
	}
	try("alice", "bob", no, 0)
	try("mona", "bob", no, 0)
	try("adam", "bob", "", 0)
	try("alice", "alice", "", 10*time.Minute)
	try("alice", "alice", late, 10*time.Minute+time.Second)
	try("alice", "bot", "", 0) // her own bot
	try("bob", "bot", no, 0)
	set("message_content_delete_limit_seconds", `"unlimited"`)
	try("alice", "alice", "", 1000*time.Hour)
	set("can_delete_own_message_group", `{"new":2}`)
	try("alice", "alice", no, 0)
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", general), "can_delete_own_message_group",
		fmt.Sprintf(`{"new":{"direct_members":%s,"direct_subgroups":[]}}`, ids(s, "alice"))).OK()
	try("alice", "alice", "", 0)
	try("bob", "bob", no, 0)
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", general), "can_delete_any_message_group",
		fmt.Sprintf(`{"new":{"direct_members":%s,"direct_subgroups":[]}}`, ids(s, "bob"))).OK()
	try("bob", "alice", "", 0)
	direct := sendDirect(s, "alice", "x", "bob")
	s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d", direct)).Error(400, "BAD_REQUEST", no)
}

func TestDeleteTopic(t *testing.T) {
	s := startStored(t)
	id := post(s.Server, "alice", "general", "busy", "x")
	s.fill(id, 2500, "recipient_id") // copies of the same message
	keep := post(s.Server, "alice", "general", "other", "x")
	path := fmt.Sprintf("POST /streams/%d/delete_topic", s.ChannelID("general"))
	for _, who := range []string{"alice", "mona", "guest", "bot"} {
		s.As(who).Do(path, "topic_name", "busy").Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	}
	s.As("olga").Do(fmt.Sprintf("POST /streams/%d/delete_topic", s.ChannelID("secret")), "topic_name", "none").Is(200,
		`{"result":"success","msg":"","complete":true}`)
	s.As("adam").Do(fmt.Sprintf("POST /streams/%d/delete_topic", s.ChannelID("secret")), "topic_name", "none").Error(400,
		"BAD_REQUEST", "Invalid channel ID")
	s.Skip()
	s.As("adam").Do(path, "topic_name", "BUSY").Is(200, `{"result":"success","msg":"","complete":true}`)
	var blocks int
	for _, e := range s.Log() {
		if e.Type == "delete_message" {
			blocks++
		}
	}
	if blocks != 3 {
		t.Errorf("deleted in %d blocks, want 3", blocks)
	}
	if p := list(s.Server, "bob", "anchor", "newest", "num_before", "10", "narrow",
		`[["channel","general"]]`); p.ids() != fmt.Sprint(keep) {
		t.Errorf("messages left: %s", p.ids())
	}
	if n := s.count("message_archive"); n < 2501 {
		t.Errorf("%d messages are in the archive", n)
	}
	s.Clock.Advance(31 * 24 * time.Hour)
	s.RunJob("messages.archive")
	if n := s.count("message_archive"); n != 0 {
		t.Errorf("after a month %d messages are in the archive", n)
	}
}

// Only one of several concurrent deletions of a message succeeds.
func TestDeleteRace(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "x", "x")
	answers := make([]*kittest.Response, 4)
	var all sync.WaitGroup
	for i, who := range []string{"alice", "olga", "adam", "alice"} {
		all.Go(func() { answers[i] = s.As(who).Do(fmt.Sprintf("DELETE /messages/%d", id)) })
	}
	all.Wait()
	done := 0
	for _, a := range answers {
		switch got := errorText(a); got {
		case "":
			done++
		case "Invalid message(s)", "Message already deleted":
		default:
			t.Errorf("refused with %q", got)
		}
	}
	if done != 1 {
		t.Errorf("deleted %d times", done)
	}
}
