package messages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// openQueueOfAll opens a queue for message and flag events.
func openQueueOfAll(s *kittest.Server, as string) *queue {
	s.T.Helper()
	return &queue{s.As(as).Register("event_types", `["update_message","delete_message","update_message_flags"]`,
		"fetch_event_types", "[]",
		"client_capabilities", modern), s}
}

// all returns all new events, as JSON.
func (q *queue) all() []string {
	q.s.T.Helper()
	out := []string{}
	for _, e := range q.poll() {
		out = append(out, kittest.JSON(e))
	}
	return out
}

func starOf(s *kittest.Server, as string, ids ...int64) {
	s.T.Helper()
	s.As(as).Do("POST /messages/flags", "messages", kittest.JSON(ids), "op", "add", "flag", "starred").OK()
}

func starred(s *kittest.Server, as string) string {
	s.T.Helper()
	return section(s, as, "starred_messages", `["starred_messages"]`)
}

const unstar = `{"type":"update_message_flags","op":"remove","operation":"remove","flag":"starred","messages":%s,` +
	`"all":false}`

// A user who has starred a message but cannot see it when it is deleted is notified only that the star was removed.
// Users who can see it are notified of the deletion.
func TestStarredIsDeletedUnseen(t *testing.T) {
	s := startFull(t)
	secret := int64(s.ChannelID("secret"))
	id, other := post(s, "olga", "secret", "plot", "x"), post(s, "olga", "general", "x", "x")
	direct := sendDirect(s, "olga", "x", "alice")
	starOf(s, "alice", id, other, direct)
	starOf(s, "olga", id)
	leave(s, "alice", "secret")
	if got, want := starred(s, "alice"), kittest.JSON([]int64{id, other, direct}); got != want {
		t.Errorf("alice, who has left, has starred %s, want %s", got, want)
	}
	alice, olga, bob := openQueueOfAll(s, "alice"), openQueueOfAll(s, "olga"), openQueueOfAll(s, "bob")
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
	sameJSON(t, "alice", alice.all(), fmt.Sprintf(unstar, kittest.JSON([]int64{id})))
	sameJSON(t, "olga", olga.all(), fmt.Sprintf(`{"type":"delete_message","message_ids":[%d],"message_type":"stream",`+
		`"stream_id":%d,"topic":"plot"}`, id, secret))
	sameJSON(t, "bob", bob.all())
	if got, want := starred(s, "alice"), kittest.JSON([]int64{other, direct}); got != want {
		t.Errorf("alice has starred %s, want %s", got, want)
	}
	if got := starred(s, "olga"); got != "[]" {
		t.Errorf("olga has starred %s", got)
	}
	for _, seen := range []int64{other, direct} { // the deletion events cover these
		s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", seen)).OK()
		if got := alice.all(); len(got) != 1 || !strings.Contains(got[0], "delete_message") {
			t.Errorf("alice received %v", got)
		}
	}
}

// Several messages of a topic share an event, and so do several users.
func TestStarredTopicIsDeletedUnseen(t *testing.T) {
	s := startFull(t)
	first, second, third := post(s, "olga", "secret", "plot", "1"), post(s, "olga", "secret", "plot", "2"),
		post(s, "olga", "secret", "plot", "3")
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
		ids(s, "bob", "mona")).OK()
	starOf(s, "alice", first, third)
	starOf(s, "bob", first, third)
	starOf(s, "mona", second)
	for _, who := range []string{"alice", "bob", "mona"} {
		leave(s, who, "secret")
	}
	alice, bob, mona := openQueueOfAll(s, "alice"), openQueueOfAll(s, "bob"), openQueueOfAll(s, "mona")
	s.As("olga").Do(fmt.Sprintf("POST /streams/%d/delete_topic", s.ChannelID("secret")), "topic_name", "plot").OK()
	both, one := fmt.Sprintf(unstar, kittest.JSON([]int64{first, third})),
		fmt.Sprintf(unstar, kittest.JSON([]int64{second}))
	sameJSON(t, "alice", alice.all(), both)
	sameJSON(t, "bob", bob.all(), both)
	sameJSON(t, "mona", mona.all(), one)
	for _, who := range []string{"alice", "bob", "mona"} {
		if got := starred(s, who); got != "[]" {
			t.Errorf("%s has starred %s", who, got)
		}
	}
}

// A move between channels removes the stars of users who were subscribed to the old channel and are not subscribed to
// the new one, and of other users who lose access to the message. All of them are notified, once.
func TestStarredMessageBecomesHidden(t *testing.T) {
	s := startFull(t)
	hidden := makeChannel(s, "hidden", []string{"olga"})
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", hidden), "is_private", "true").OK()
	side := makeChannel(s, "side", []string{"olga", "mona"})
	from := post(s, "olga", "secret", "plot", "x")
	open := post(s, "olga", "side", "x", "x")
	starOf(s, "alice", from)
	starOf(s, "adam", open) // not subscribed
	starOf(s, "mona", open)
	leave(s, "alice", "secret")
	alice, adam, mona := openQueueOfAll(s, "alice"), openQueueOfAll(s, "adam"), openQueueOfAll(s, "mona")
	for _, id := range []int64{from, open} {
		edit(s, "olga", id, "stream_id", fmt.Sprint(hidden), "send_notification_to_new_thread", "false").OK()
	}
	gone := fmt.Sprintf(`{"type":"delete_message","message_ids":[%d],"message_type":"stream","stream_id":%d,"topic":"x"}`,
		open, side)
	sameJSON(t, "alice", alice.all(), fmt.Sprintf(unstar, kittest.JSON([]int64{from})))
	sameJSON(t, "adam", adam.all(), gone)
	sameJSON(t, "mona", mona.all(), gone)
	for _, who := range []string{"alice", "adam", "mona"} {
		if got := starred(s, who); got != "[]" {
			t.Errorf("%s has starred %s", who, got)
		}
	}
}

// The same, for messages deleted by retention.
func TestStarredIsTooOld(t *testing.T) {
	s := startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, events.Module)
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", s.ChannelID("secret")), "message_retention_days", "3").OK()
	id := post(s.Server, "olga", "secret", "plot", "x")
	starOf(s.Server, "alice", id)
	leave(s.Server, "alice", "secret")
	s.Clock.Advance(3*day + time.Second)
	alice, bob := openQueueOfAll(s.Server, "alice"), openQueueOfAll(s.Server, "bob")
	retain(s)
	sameJSON(t, "alice", alice.all(), fmt.Sprintf(unstar, kittest.JSON([]int64{id})))
	sameJSON(t, "bob", bob.all())
}
