package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// vaulted is a server with a channel of protected history, which olga and alice have always read and bob only since later.
func vaulted(t *testing.T) (s *kittest.Server, vault, before int64) {
	t.Helper()
	s = full(t)
	vault = makeChannel(s, "vault", []string{"olga", "alice"}, "invite_only", "true", "history_public_to_subscribers", "false")
	before = post(s, "olga", "vault", "old", "x")
	subscribe(s, "olga", "bob", "vault")
	return s, vault, before
}

func leave(s *kittest.Server, who, channel string) {
	s.T.Helper()
	s.As(who).Do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf("[%q]", channel)).OK()
}

// In protected history a message that was moved in while somebody was away is not theirs, whenever it was sent.
func TestTopicsOfWhatCameWhileAway(t *testing.T) {
	s, vault, _ := vaulted(t)
	lunch := post(s, "bob", "vault", "lunch", "x")
	hidden := post(s, "olga", "general", "plans", "x")
	leave(s, "bob", "vault")
	edit(s, "olga", hidden, "stream_id", fmt.Sprint(vault), "topic", "coup", "send_notification_to_new_thread", "false").OK()
	subscribe(s, "olga", "bob", "vault")
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", hidden)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	if got, want := topicsOf(s, "bob", vault), fmt.Sprintf(`[{"max_id":%d,"name":"lunch"}]`, lunch); got != want {
		t.Errorf("bob has the topics %s, want %s", got, want)
	}
	if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow", `[["channel","vault"]]`); p.ids() != fmt.Sprint(lunch) {
		t.Errorf("and reads %s", p.ids())
	}
}

// A topic that is already so long that it was cut can be named in full again.
func TestSameLongTopicIsNoChange(t *testing.T) {
	s := full(t)
	long := strings.Repeat("long ", 20)
	id := post(s, "alice", "general", long, "x")
	s.Skip()
	for _, mode := range []string{"change_one", "change_all"} {
		edit(s, "alice", id, "topic", long, "propagate_mode", mode).Error(400, "BAD_REQUEST", "Nothing to change")
	}
	s.NoEvents()
	if a := s.As("alice").Do(fmt.Sprintf("GET /messages/%d/history", id)).OK(); a.Has("message_history.1") {
		t.Errorf("an edit of nothing is noted: %v", a.Get("message_history"))
	}
}
