package messages_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
)

func startForPurge(t *testing.T) *stored {
	t.Helper()
	return startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, events.Module)
}

// deactivateAndDelete lets adam deactivate a user and delete the given kinds of messages.
func deactivateAndDelete(s *stored, who, actions string) {
	s.T.Helper()
	s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID(who)), "actions", actions).Is(200,
		`{"result":"success","msg":""}`)
}

// sendEverywhere sends messages of every kind and returns their IDs by name. It creates the channels old and web for
// two of them.
func sendEverywhere(s *stored, old, web string) map[string]int64 {
	s.T.Helper()
	s.As("olga").Do("POST /channels/create", "name", old, "subscribers", ids(s.Server, "alice", "bob")).OK()
	s.As("olga").Do("POST /channels/create", "name", web, "subscribers", ids(s.Server, "alice", "bob")).OK()
	all := map[string]int64{
		"one":    post(s.Server, "alice", "general", "lunch", "@**Bob** run"),
		"two":    post(s.Server, "alice", "general", "dinner", "run"),
		"robot":  post(s.Server, "bot", "general", "lunch", "run"),
		"secret": post(s.Server, "alice", "secret", "plot", "run"),
		"old":    post(s.Server, "alice", old, "x", "run"),
		"web":    post(s.Server, "alice", web, "x", "run"),
		"direct": sendDirect(s.Server, "alice", "run", "bob"),
		"crowd":  sendDirect(s.Server, "alice", "run", "bob", "mona"),
		"self":   sendDirect(s.Server, "alice", "run", "alice"),

		"other":  post(s.Server, "bob", "general", "lunch", "run"),
		"answer": sendDirect(s.Server, "bob", "run", "alice"),
		"olga's": post(s.Server, "olga", "secret", "plot", "run"),
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", channelOf(s.Server, old))).OK()
	return all
}

// Each action deletes only its own kinds of messages by the user and the user's bots, whether together with the
// deactivation or later.
func TestDeleteMessagesOfLeaver(t *testing.T) {
	s := startForPurge(t)
	for name, c := range map[string]struct {
		actions, stay string
		later         bool // the account is already deactivated
	}{
		"nothing": {`{}`, "answer crowd direct old olga's one other robot secret self two web", false},
		"the profile": {`{"delete_profile":true}`, "answer crowd direct old olga's one other robot secret self two web",
			false},
		"public channels": {`{"delete_public_channel_messages":true}`, "answer crowd direct olga's other secret self", false},
		"public later":    {`{"delete_public_channel_messages":true}`, "answer crowd direct olga's other secret self", true},
		"private": {`{"delete_private_channel_messages":true}`,
			"answer crowd direct old olga's one other robot self two web", false},
		"private later": {`{"delete_private_channel_messages":true}`,
			"answer crowd direct old olga's one other robot self two web", true},
		"direct": {`{"delete_direct_messages":true,"delete_profile":false}`,
			"answer old olga's one other robot secret two web", false},
		"direct later": {`{"delete_direct_messages":true,"delete_profile":false}`,
			"answer old olga's one other robot secret two web", true},
		"everything": {
			`{"delete_public_channel_messages":true,"delete_private_channel_messages":true,"delete_direct_messages":true,` +
				`"delete_profile":true}`, "answer olga's other", false,
		},
	} {
		all := sendEverywhere(s, "old "+name, "web "+name)
		there, archived := s.count("messages"), s.count("message_archive")
		if c.later {
			deactivateAndDelete(s, "alice", `{}`)
		}
		deactivateAndDelete(s, "alice", c.actions)
		if got := remaining(s, all); got != c.stay {
			t.Errorf("%s: %s are left, want %s", name, got, c.stay)
		}
		// This also deletes the user's messages that remain from the last round, and none of other users.
		if gone, kept := there-s.count("messages"), s.count("message_archive")-archived; gone != kept {
			t.Errorf("%s: %d messages were deleted, %d are in the archive", name, gone, kept)
		}
		if n := s.count("message_purges"); n != 0 {
			t.Errorf("%s: %d purges are pending", name, n)
		}
		for _, who := range []string{"alice", "bot"} {
			s.As("adam").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID(who))).OK()
			s.LogIn(who)
		}
	}
}

// Users who could see the deleted messages are notified, and the administrator is notified of those that he could read.
// Other users are not. Afterwards the clients' state matches the server's.
func TestDeletedMessagesAreAnnounced(t *testing.T) {
	s := startForPurge(t)
	all := sendEverywhere(s, "old", "web")
	s.As("mona").Do(fmt.Sprintf("POST /messages/%d/reactions", all["two"]), "emoji_name", "heart").OK()
	s.As("bob").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", all["one"]), "op", "add", "flag",
		"starred").OK()
	s.RunJob("messages.search")
	queues := map[string]*queue{}
	for _, who := range []string{"bob", "olga", "adam", "mona", "guest"} {
		queues[who] = openQueue(s.Server, who)
	}
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	deactivateAndDelete(s, "alice", `{"delete_public_channel_messages":true,"delete_private_channel_messages":true,`+
		`"delete_direct_messages":true}`)

	in := func(channel int64, topic string, names ...string) string {
		return fmt.Sprintf(`{"type":"delete_message","message_ids":%s,"message_type":"stream","stream_id":%d,"topic":%q}`,
			kittest.JSON(named(all, names...)), channel, topic)
	}
	direct := func(names ...string) string {
		return fmt.Sprintf(`{"type":"delete_message","message_ids":%s,"message_type":"private"}`,
			kittest.JSON(named(all, names...)))
	}
	robot, lunch, dinner := in(general, "lunch", "robot"), in(general, "lunch", "one"), in(general, "dinner", "two")
	plot, web := in(secret, "plot", "secret"), in(channelOf(s.Server, "web"), "x", "web")
	old := int64(0)
	for _, one := range s.As("olga").Do("GET /streams", "exclude_archived", "false").OK().Get("streams").([]any) {
		if c := one.(map[string]any); c["name"] == "old" {
			old = idIn(c["stream_id"])
		}
	}
	attic := in(old, "x", "old")
	sameJSON(t, "bob", queues["bob"].of("delete_message"), robot, lunch, dinner, attic, web, direct("direct"),
		direct("crowd"))
	sameJSON(t, "olga", queues["olga"].of("delete_message"), robot, lunch, dinner, plot)
	sameJSON(t, "guest", queues["guest"].of("delete_message"), robot, lunch, dinner)
	sameJSON(t, "adam", queues["adam"].of("delete_message"), robot, lunch, dinner, attic, web)
	// mona reads the channel and has reacted there.
	sameJSON(t, "mona", queues["mona"].of("delete_message"), lunch, dinner, direct("crowd"))

	for who, want := range map[string][]int64{"bob": named(all, "other", "answer"), "olga": named(all, "other", "olga's"),
		"mona": nil} {
		slices.Sort(want)
		text := fmt.Sprint(want)
		text = text[1 : len(text)-1]
		if p := list(s.Server, who, "anchor", "newest", "num_before", "50"); p.ids() != text {
			t.Errorf("%s has %s, want %s", who, p.ids(), text)
		}
		if p := search(s.Server, who, `[["search","run"]]`); p.ids() != text {
			t.Errorf("%s finds %s, want %s", who, p.ids(), text)
		}
	}
	unread := fmt.Sprintf(`{"count":1,"pms":[],"streams":[{"stream_id":%d,"topic":"lunch","unread_message_ids":[%d]}],`+
		`"huddles":[],"mentions":[],"old_unreads_missing":false}`,
		general, all["other"])
	if got := section(s.Server, "guest", "unread_msgs", `["message","update_message_flags"]`); got != unread {
		t.Errorf("unread: %s, want %s", got, unread)
	}
	for _, narrow := range []string{`[["is","starred"]]`, `[["is","mentioned"]]`, `[["sender","alice@example.com"]]`} {
		if p := list(s.Server, "bob", "anchor", "newest", "num_before", "50", "narrow", narrow); p.ids() != "" {
			t.Errorf("%s still gives %s", narrow, p.ids())
		}
	}
	for _, table := range []string{"reactions", "message_flags"} {
		if n := s.count(table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	if got := s.As("bob").Do(fmt.Sprintf("GET /streams/%d",
		general)).OK().Int("stream.first_message_id"); got != all["other"] {
		t.Errorf("the channel's first message is %d, want %d", got, all["other"])
	}
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", all["one"])).Error(400, "BAD_REQUEST", "Invalid message(s)")
}

func named(all map[string]int64, names ...string) []int64 {
	var out []int64
	for _, name := range names {
		out = append(out, all[name])
	}
	return out
}

func idIn(v any) (n int64) {
	_, _ = fmt.Sscan(fmt.Sprint(v), &n)
	return n
}

// In protected history, users are notified only of the messages that they had.
func TestDeletedMessagesOfProtectedHistory(t *testing.T) {
	s := startForPurge(t)
	s.As("olga").Do("POST /channels/create", "name", "cellar", "invite_only", "true", "subscribers",
		ids(s.Server, "alice")).OK()
	first := post(s.Server, "alice", "cellar", "x", "x")
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "principals",
		ids(s.Server, "bob")).OK()
	second := post(s.Server, "alice", "cellar", "x", "x")
	cellar := s.privateID("alice", "cellar")
	bob, olga, adam := openQueue(s.Server, "bob"), openQueue(s.Server, "olga"), openQueue(s.Server, "adam")
	s.Skip()
	deactivateAndDelete(s, "alice", `{"delete_private_channel_messages":true}`)
	sameJSON(t, "bob", bob.of("delete_message"),
		fmt.Sprintf(`{"type":"delete_message","message_ids":[%d],"message_type":"stream","stream_id":%d,"topic":"x"}`, second,
			cellar))
	sameJSON(t, "olga", olga.of("delete_message"))
	sameJSON(t, "adam", adam.of("delete_message")) // he deletes them without being able to see them
	if got := remaining(s, map[string]int64{"first": first, "second": second}); got != "" {
		t.Errorf("left are %s", got)
	}
}

func blocksOf(t *testing.T, all []event.Entry) (sizes []int) {
	t.Helper()
	for _, e := range all {
		if e.Type == "delete_message" {
			sizes = append(sizes, deletedIn(t, e))
		}
	}
	return sizes
}

// Many messages are deleted in blocks, most of them after the response. Messages that a reactivated user sends in the
// meantime are kept.
func TestDeleteManyMessagesOfLeaver(t *testing.T) {
	s := startForPurge(t)
	id, direct := post(s.Server, "alice", "general", "busy", "x"), sendDirect(s.Server, "alice", "x", "bob")
	s.fill(id, 1700, "recipient_id")
	s.fill(direct, 600, "recipient_id")
	keep := post(s.Server, "bob", "general", "busy", "x")
	s.Skip()
	deactivateAndDelete(s, "alice", `{"delete_public_channel_messages":true,"delete_direct_messages":true}`)
	if got := fmt.Sprint(blocksOf(t, s.Log())); got != "[499 1 500]" {
		t.Errorf("deleted immediately: %s", got)
	}
	s.Restart()
	s.As("adam").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("alice"))).OK()
	s.LogIn("alice")
	again, too := post(s.Server, "alice", "general", "busy", "x"), sendDirect(s.Server, "alice", "x", "bob")
	s.Skip()
	both := make(chan struct{})
	var nodes sync.WaitGroup
	for range 2 { // as on two nodes
		nodes.Go(func() {
			<-both
			s.RunJob("messages.purges")
		})
	}
	close(both)
	nodes.Wait()
	gone := 0
	for _, n := range blocksOf(t, s.Log()) {
		if gone += n; n > 500 {
			t.Errorf("a block of %d", n)
		}
	}
	if gone != 1302 {
		t.Errorf("%d messages were deleted afterwards, want 1302", gone)
	}
	if got := remaining(s, map[string]int64{"keep": keep, "again": again, "too": too}); got != "again keep too" {
		t.Errorf("of the messages to keep, %s are left", got)
	}
	if n := s.countOf("alice"); n != 2 || s.count("message_purges") != 0 {
		t.Errorf("%d of her messages are left, and %d purges", n, s.count("message_purges"))
	}
	s.RunJob("messages.purges")
	s.NoEvents()
}

// An acknowledged purge that fails midway is completed later, and does not delay other purges.
func TestDeleteMessagesOfLeaverLater(t *testing.T) {
	var down atomic.Bool
	s := startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, events.Module,
		kit.Define("breaker", "Fails on demand.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
			return kit.Parts{Hooks: []kit.Hook{kit.On(func(_ context.Context, m *message.Deleted) error {
				if down.Load() && m.Messages[0].Content == "breaks" {
					return errors.New("broken")
				}
				return nil
			})}}, nil
		}))
	all := map[string]int64{"alice's": post(s.Server, "alice", "general", "x", "breaks"),
		"bob's": post(s.Server, "bob", "general", "x", "works")}
	down.Store(true)
	deactivateAndDelete(s, "alice", `{"delete_public_channel_messages":true}`)
	s.Restart()
	s.Skip()
	deactivateAndDelete(s, "bob", `{"delete_public_channel_messages":true}`)
	if got := remaining(s, all); got != "alice's" || s.count("message_purges") != 1 {
		t.Errorf("%s are left, and %d purges", got, s.count("message_purges"))
	}
	down.Store(false)
	s.RunJob("messages.purges")
	if got := remaining(s, all); got != "" || s.count("message_purges") != 0 {
		t.Errorf("%s are left, and %d purges", got, s.count("message_purges"))
	}
}

// countOf returns the number of a user's messages.
func (s *stored) countOf(who string) (n int) {
	s.T.Helper()
	if err := s.db.From(s.T.Context()).NewRaw("SELECT COUNT(*) FROM messages WHERE sender_id = ?",
		s.UserID(who)).Scan(s.T.Context(), &n); err != nil {
		s.T.Fatal(err)
	}
	return n
}
