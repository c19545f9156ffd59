package messages_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// The first movable message in protected history is the first one that the mover has, however the mover got it.
func TestFirstMovableOfProtectedHistory(t *testing.T) {
	s, vault, _ := startWithVault(t)
	open := func(is string) {
		s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", vault), "is_private", "true", "history_public_to_subscribers",
			is).OK()
	}
	moveIn := func(id int64, topic string) {
		edit(s, "olga", id, "stream_id", fmt.Sprint(vault), "topic", topic, "send_notification_to_new_thread", "false").OK()
	}
	star := func(id int64) {
		s.As("bob").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", id), "op", "add", "flag", "starred").OK()
	}
	away := func(do func()) {
		leave(s, "bob", "vault")
		do()
		subscribe(s, "olga", "bob", "vault")
	}
	hidden := func(topic string) { away(func() { post(s, "olga", "vault", topic, "hidden") }) }
	cases := []struct {
		topic string
		first func() int64
		after bool // a later message that bob has follows
		moved bool
	}{
		{topic: "received", first: func() int64 { return post(s, "olga", "vault", "received", "x") }, after: true},
		{topic: "moved in", first: func() int64 { return post(s, "olga", "general", "g", "x") }, after: true, moved: true},
		{topic: "flagged", first: func() (id int64) {
			away(func() { id = post(s, "olga", "vault", "flagged", "x") })
			open("true")
			star(id)
			open("false")
			return id
		}, after: true},
		{topic: "moved in, and the only one", first: func() int64 { return post(s, "olga", "general", "g", "x") },
			moved: true},
		{topic: "none", first: func() int64 { return 0 }},
	}
	old := map[string]int64{}
	for _, c := range cases {
		old[c.topic] = post(s, "olga", "vault", c.topic, "old")
		hidden(c.topic)
	}
	s.Clock.Advance(tooLong)
	for _, c := range cases {
		away(func() {
			post(s, "olga", "vault", c.topic, "hidden and young")
			moveIn(post(s, "olga", "general", "g", "hidden, young and moved in"), c.topic)
		})
		first := c.first()
		if c.moved {
			moveIn(first, c.topic)
		}
		allowed := 0
		if first != 0 {
			allowed++
		}
		if c.after {
			post(s, "olga", "vault", c.topic, "later")
			allowed++
		}
		hidden(c.topic)
		var got lateMove
		edit(s, "bob", old[c.topic], "topic", "u", "propagate_mode", "change_all").Error(400,
			"MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
			"The time limit for editing this message's topic has passed.").JSON(&got)
		switch {
		case (got.First == nil) != (first == 0), got.First != nil && *got.First != first, got.Total != allowed+1,
			got.Allowed != allowed:
			t.Errorf("%s: %+v, want %d of %d from %d", c.topic, got, allowed, allowed+1, first)
		}
	}
}

// Old messages that the mover cannot see do not prevent moving a whole topic, and neither do old messages if the mover
// has no limit.
func TestWholeTopicMovesPastHiddenOldMessages(t *testing.T) {
	s, _, _ := startWithVault(t)
	leave(s, "bob", "vault")
	old := post(s, "olga", "vault", "t", "old and hidden")
	subscribe(s, "olga", "bob", "vault")
	s.Clock.Advance(tooLong)
	young := post(s, "alice", "vault", "t", "young")
	var got lateMove
	edit(s, "alice", young, "topic", "u", "propagate_mode", "change_all").Error(400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
		"You only have permission to move the 1/2 most recent messages in this topic.").JSON(&got)
	if got.First == nil || *got.First != young || got.Total != 2 || got.Allowed != 1 {
		t.Errorf("alice: %+v", got)
	}
	edit(s, "bob", young, "topic", "u", "propagate_mode", "change_all").OK()
	for _, id := range []int64{old, young} {
		if topic := s.As("olga").Do(fmt.Sprintf("GET /messages/%d", id)).OK().String("message.subject"); topic != "u" {
			t.Errorf("%d is in %q", id, topic)
		}
	}
	edit(s, "olga", young, "topic", "w", "propagate_mode", "change_all").OK()
}

// A move that becomes too late between the early check and the transaction is rejected with the same counts.
func TestMoveThatBecomesTooLate(t *testing.T) {
	var begun atomic.Pointer[func()]
	s := kittest.StartWith(t, kittest.Options{
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}",
		Observe: func(sql string) {
			if do := begun.Load(); do != nil && changing(sql) {
				begun.Store(nil)
				(*do)()
			}
		},
	}, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module)
	for i, c := range []struct {
		mode    string
		another bool // the request names another message than the one that becomes too old
		msg     string
	}{
		{"change_one", false, "The time limit for editing this message's topic has passed."},
		{"change_all", false, "The time limit for editing this message's topic has passed."},
		{"change_all", true, "You only have permission to move the 1/2 most recent messages in this topic."},
	} {
		id := post(s, "alice", "general", fmt.Sprint("t", i), "old")
		s.Clock.Advance(7*24*time.Hour + 20*time.Second)
		young := post(s, "alice", "general", fmt.Sprint("t", i), "young")
		if c.another {
			id = young
		}
		s.Skip()
		late := func() { s.Clock.Advance(time.Second) }
		begun.Store(&late)
		var got lateMove
		edit(s, "bob", id, "topic", "u", "propagate_mode", c.mode).Error(400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
			c.msg).JSON(&got)
		if begun.Load() != nil {
			t.Fatalf("%s: refused too early", c.msg)
		}
		if got.First == nil || *got.First != young || got.Allowed != 1 || got.Total != 2 {
			t.Errorf("%s: %+v", c.msg, got)
		}
		s.NoEvents()
	}
}
