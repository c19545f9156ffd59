package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Whether a resolve notice is unread is decided when it is sent: changing the setting does not affect existing notices.
func TestNoticesStayAsTheyAreWhenThePolicyChanges(t *testing.T) {
	s := startFull(t)
	policy := func(who, to string) {
		s.As(who).Do("PATCH /settings", "resolved_topic_notice_auto_read_policy", to).OK()
	}
	unread := func(who string, id int64) bool {
		_, ids, _ := strings.Cut(section(s, who, "unread_msgs", unreadTypes), `"topic":"✔ `)
		return strings.Contains(ids, fmt.Sprintf("[%d]", id)) || strings.Contains(ids, fmt.Sprintf(",%d]", id)) ||
			strings.Contains(ids, fmt.Sprintf("[%d,", id))
	}
	others := []string{"always", "except_followed", "never"}
	for round, first := range others {
		policy("bob", first)
		policy("guest", "never")
		topic := fmt.Sprint("lunch ", round)
		id := post(s, "alice", "general", topic, "x")
		early, late := listen(s, "bob"), listen(s, "bob")
		edit(s, "alice", id, "topic", "✔ "+topic, "propagate_mode", "change_all").OK()
		events := early.poll()
		want := map[bool]string{true: "[]", false: `["read"]`}[first == "never"]
		if len(events) != 1 || kittest.JSON(events[0]["flags"]) != want {
			t.Fatalf("%s: bob received %v, want %s", first, events, want)
		}
		notice := id + 1
		for _, then := range append(others, others...) {
			policy("bob", then)
			if got := unread("bob", notice); got != (first == "never") {
				t.Errorf("%s, then %s: unread in register: %v", first, then, got)
			}
			flag := map[bool]string{true: "", false: "read"}[first == "never"]
			if got := flags(s, "bob", notice); got != flag {
				t.Errorf("%s, then %s: the flags are %q, want %q", first, then, got, flag)
			}
		}
		if events := late.poll(); len(events) != 1 || kittest.JSON(events[0]["flags"]) != want {
			t.Errorf("%s: bob received late %v, want %s", first, events, want)
		}
		// A notice can be marked as read and unread like any other message; the state of other users does not change.
		for _, op := range []string{"add", "remove", "add"} {
			mark(s, "bob", op, "read", notice).OK()
			for _, then := range others {
				policy("bob", then)
				if got := unread("bob", notice); got != (op == "remove") {
					t.Errorf("%s, marked (%s), then %s: unread %v", first, op, then, got)
				}
			}
		}
		if !unread("guest", notice) {
			t.Errorf("%s: the guest has read it", first)
		}
	}

	// The same, for several users together.
	policy("guest", "always")
	id := post(s, "alice", "general", "tea", "x")
	policy("bob", "never")
	edit(s, "alice", id, "topic", "✔ tea", "propagate_mode", "change_all").OK()
	for _, to := range append(others, "always") {
		s.As("olga").Do("PATCH /settings", "target_users", fmt.Sprintf(`{"user_ids":%s}`, ids(s, "bob", "guest", "mona")),
			"resolved_topic_notice_auto_read_policy", to).OK()
		if !unread("bob", id+1) || unread("guest", id+1) || unread("mona", id+1) {
			t.Errorf("all %s: bob %v, guest %v, mona %v", to, unread("bob", id+1), unread("guest", id+1), unread("mona", id+1))
		}
	}
}
