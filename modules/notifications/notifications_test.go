package notifications_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	pushrelay "github.com/stoachat/stoa/adapters/push/relay"
	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/alertwords"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/mutes"
	"github.com/stoachat/stoa/modules/notifications"
	"github.com/stoachat/stoa/modules/presence"
	"github.com/stoachat/stoa/modules/push"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
)

func modules() []kit.Module {
	return []kit.Module{
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, mutes.Module, events.Module,
		topics.Module, presence.Module,
		alertwords.Module, notifications.Module, push.Module, pushrelay.Module, webpush.Module,
	}
}

func TestModule(t *testing.T) {
	kittest.Check(t, notifications.Module, slices.DeleteFunc(modules(), notifications.Module.Same)...)
}

// TestReasons checks which messages notify whom, and the content of the notifications.
func TestReasons(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, "alice", "bob", "olga")
		bob := w.As("bob")
		general := w.ChannelID("general")

		id := w.direct("alice", "hello :smile: **bob**", "bob")
		w.notified(
			fmt.Sprintf(`bob: {"type":"message","realm_url":%q,"realm_name":"*","user_id":%d,"message_id":%d,"sender_id":%d,`+
				`"sender_full_name":"Alice","sender_avatar_url":"*","time":%d,"content":"hello 🙂 bob","recipient_type":"direct",`+
				`"recipient_user_ids":[%s]}`,
				w.URL, w.UserID("bob"), id, w.UserID("alice"), w.Clock.Now().Unix(), w.ids("alice", "bob")),
		)
		w.direct("bob", "alone", "bob")
		w.notified()

		// In channels, only mentions of users and groups, wildcards, alert words, followed topics and channels with
		// notifications enabled notify anyone.
		w.post("alice", "t", "nothing for anyone")
		w.notified()
		id = w.post("alice", "t", "@**Bob** look")
		w.notified(
			fmt.Sprintf(
				`bob: *"message_id":%d,*"content":"@Bob look","recipient_type":"channel","channel_id":%d,`+
					`"channel_name":"general","topic":"t"}`,
				id,
				general,
			),
		)
		g := w.As("olga").
			Do("POST /user_groups/create", "name", "cooks", "description", "", "members", "["+w.ids("bob", "olga")+"]").
			OK().
			Int("group_id")
		w.Skip()
		w.post("alice", "t", "@*cooks* dinner")
		w.notified(`bob: *"mentioned_user_group_id":`+fmt.Sprint(g)+`,"mentioned_user_group_name":"cooks"}`,
			`olga: *"mentioned_user_group_id":`+fmt.Sprint(g)+`,"mentioned_user_group_name":"cooks"}`)
		w.post("alice", "t", "@_**Bob** silently, and\n```quote\n@**Bob**\n```")
		// Both have followed the topic since they were mentioned.
		w.notified(`bob: *"content":"Bob silently, and\n[…]",*`, "olga: *")
		w.post("alice", "t2", "hello")
		w.post("olga", "t2", "@**topic** participants")
		w.notified("alice: *")
		w.post("olga", "t3", "@**all** of you")
		w.notified("alice: *", "bob: *")
		bob.Do("POST /users/me/alert_words", "alert_words", `["fire"]`).OK()
		w.post("alice", "t4", "there is FIRE in the hall")
		w.notified("bob: *")
		bob.Do("POST /user_topics", "stream_id", fmt.Sprint(general), "topic", "followed", "visibility_policy", "3").OK()
		w.post("alice", "followed", "news")
		w.notified("bob: *")
		bob.Do("POST /users/me/subscriptions/properties", "subscription_data",
			fmt.Sprintf(`[{"stream_id":%d,"property":"push_notifications","value":true}]`, general)).OK()
		w.post("alice", "other", "loud")
		w.notified("bob: *")
		bob.Do("POST /users/me/subscriptions/properties", "subscription_data",
			fmt.Sprintf(`[{"stream_id":%d,"property":"is_muted","value":true}]`, general)).OK()
		w.post("alice", "other", "muted")
		w.post("alice", "other", "@**all** muted")
		w.notified("olga: *")
		w.post("alice", "other", "@**Bob** in a muted channel")
		w.notified("bob: *")

		// Settings, and users who muted the sender.
		bob.Do("PATCH /settings", "enable_offline_push_notifications", "false").OK()
		w.direct("alice", "no", "bob")
		w.notified()
		bob.Do("PATCH /settings", "enable_offline_push_notifications", "true").OK()
		bob.Do(fmt.Sprintf("POST /users/me/muted_users/%d", w.UserID("alice"))).OK()
		w.direct("alice", "no", "bob", "olga")
		w.notified("olga: *")
	})
}

// TestIdle checks that users without a connected client, or idle for a while, are notified. Those who lose the
// connection before a message arrives are notified later, and once.
func TestIdle(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, "bob")
		bob := w.As("bob")
		present := func() { bob.Do("POST /users/me/presence", "status", "active", "new_user_input", "true").OK() }
		q := bob.Register("event_types", `["message"]`)
		w.direct("alice", "connected, but away", "bob")
		w.notified("bob: *")
		present()
		w.direct("alice", "there, and notified all the same", "bob")
		w.notified("bob: *")
		bob.Do("PATCH /settings", "enable_online_push_notifications", "false").OK()
		w.direct("alice", "there", "bob")
		w.notified()
		q.Next()
		q.Poll() // acknowledges them
		w.RunJob("events.save")
		w.Clock.Advance(time.Minute)
		w.RunJob("notifications.waiting notifications")
		w.notified()

		// A message that no client has received causes a notification when the last queue expires, unless it was read
		// elsewhere.
		present()
		lost := w.direct("alice", "lost", "bob")
		read := w.direct("alice", "read elsewhere", "bob")
		w.notified()
		bob.Do("POST /messages/flags", "op", "add", "flag", "read", "messages", fmt.Sprintf("[%d]", read)).OK()
		w.Clock.Advance(20 * time.Minute)
		w.RunJob("events.sweep")
		w.RunJob("events.expire")
		w.RunJob("notifications.waiting notifications")
		w.notified(fmt.Sprintf(`bob: *"message_id":%d,*`, lost))
		w.RunJob("notifications.waiting notifications")
		w.notified()

		w.As("bob").Register("event_types", `["presence"]`) // does not receive messages
		present()
		w.direct("alice", "not connected", "bob")
		w.notified("bob: *")
	})
}

// TestEdits checks that an edit notifies only users whom it newly mentions.
func TestEdits(t *testing.T) {
	w := open(t, kittest.Memory, "bob", "olga")
	edit := func(id int64, text string) {
		w.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", text).OK()
		w.Skip()
	}
	id := w.post("alice", "t", "hello @**Bob**")
	w.notified("bob: *")
	edit(id, "hello @**Bob** and @**Olga**")
	w.notified(fmt.Sprintf(`olga: *"message_id":%d,*`, id))
	edit(id, "hello @**Bob** and @**Olga**, again")
	w.notified()
	edit(id, "hello all")
	w.notified(
		fmt.Sprintf(`bob: {"type":"remove",*"message_ids":[%d]}`, id),
		fmt.Sprintf(`olga: {"type":"remove",*"message_ids":[%d]}`, id),
	)
	direct := w.direct("alice", "hello", "bob")
	w.notified("bob: *")
	edit(direct, "hello @**Bob**")
	w.notified()
}

// TestWithdrawal checks that the notification of a message is withdrawn once the user has read it or can no longer see
// it.
func TestWithdrawal(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, "bob", "olga")
		mark := func(ids ...int64) {
			text, _ := json.Marshal(ids)
			w.As("bob").Do("POST /messages/flags", "op", "add", "flag", "read", "messages", string(text)).OK()
			w.Skip()
		}
		first, second := w.direct("alice", "one", "bob"), w.direct("alice", "two", "bob")
		w.notified(fmt.Sprintf(`bob: *"message_id":%d,*`, first), fmt.Sprintf(`bob: *"message_id":%d,*`, second))
		mark(first)
		w.notified(fmt.Sprintf(`bob: {"type":"remove",*"message_ids":[%d]}`, first))
		mark(first)
		w.notified()
		w.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", second)).OK()
		w.notified(fmt.Sprintf(`bob: {"type":"remove",*"message_ids":[%d]}`, second))

		// A message read before its notification is sent causes none.
		third := w.direct("alice", "three", "bob")
		mark(third)
		w.notified()

		// Marking all as read.
		a, b := w.post("alice", "t", "@**Bob**"), w.post("alice", "u", "@**Bob** @**Olga**")
		w.notified("bob: *", "bob: *", "olga: *")
		w.As("bob").Do("POST /mark_all_as_read").OK()
		w.notified(fmt.Sprintf(`bob: {"type":"remove",*"message_ids":[%d,%d]}`, a, b))

		// Leaving a private channel.
		c := w.ChannelID("secret")
		w.As("olga").
			Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals", "["+w.ids("bob")+"]",
				"send_new_subscription_messages", "false").
			OK()
		id := w.As("olga").
			Do("POST /messages", "type", "channel", "to", fmt.Sprint(c), "topic", "t", "content", "@**Bob**").
			OK().
			Int("id")
		w.notified(fmt.Sprintf(`bob: *"message_id":%d,*`, id))
		w.As("olga").
			Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`, "principals", "["+w.ids("bob")+"]").
			OK()
		w.notified(fmt.Sprintf(`bob: {"type":"remove",*"message_ids":[%d]}`, id))
	})
}

// TestOutage checks that nothing is lost or duplicated if the relay is down for an hour. Notifications older than a day
// are dropped.
func TestOutage(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, "bob")
		w.relay.fail(500)
		first := w.direct("alice", "one", "bob")
		for range 60 {
			w.run()
			w.Clock.Advance(time.Minute)
		}
		if n := w.relay.failures(); n < 30 || n > 70 {
			t.Errorf("the relay was called %d times in an hour", n)
		}
		w.relay.fail(0)
		w.notified(fmt.Sprintf(`bob: *"message_id":%d,*`, first))
		w.Clock.Advance(time.Hour)
		w.notified()

		w.relay.fail(500)
		w.direct("alice", "two", "bob")
		w.run()
		w.Clock.Advance(25 * time.Hour)
		w.relay.fail(0)
		w.notified()
	})
}

// TestRestrictedGuest checks that a notification does not reveal the sender's name to a guest who is not allowed to see
// the sender.
func TestRestrictedGuest(t *testing.T) {
	w := open(t, kittest.Memory, "guest")
	olga := w.As("olga")
	olga.Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
		"["+w.ids("guest", "adam")+"]",
		"send_new_subscription_messages", "false").
		OK()
	id := w.As("adam").
		Do("POST /messages", "type", "channel", "to", "secret", "topic", "t", "content", "@**all** x").
		OK().
		Int("id")
	olga.Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`, "principals", "["+w.ids("adam")+"]").OK()
	w.notified(
		fmt.Sprintf(`guest: *"message_id":%d,"sender_id":%d,"sender_full_name":"Unknown user",*`, id, w.UserID("adam")),
	)
}

// TestNothingIsStored checks that without a push service no messages are stored for notification.
func TestNothingIsStored(t *testing.T) {
	var mu sync.Mutex
	var inserts []string
	s := kittest.StartWith(t, kittest.Options{Observe: func(sql string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(sql, "INSERT") {
			inserts = append(inserts, sql)
		}
	}}, modules()...)
	s.As("alice").
		Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("bob")), "content", "@**Bob** x").
		OK()
	mu.Lock()
	defer mu.Unlock()
	if !slices.ContainsFunc(inserts, func(sql string) bool { return strings.Contains(sql, "messages") }) {
		t.Error("the message was not observed")
	}
	for _, sql := range inserts {
		if strings.Contains(sql, "notification_messages") {
			t.Errorf("stored without a push service: %s", sql)
		}
	}
}

func (w *server) ids(names ...string) string {
	var all []int
	for _, n := range names {
		all = append(all, int(w.UserID(n)))
	}
	slices.Sort(all)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ","), "[]")
}

// TestPushStatus checks that clients are notified when the push service stops delivering for the organization, and when
// it resumes.
func TestPushStatus(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, "bob")
		enabled := func() string {
			reg := w.As("bob").Do("POST /register", "fetch_event_types", `["realm"]`, "event_types", "[]").OK()
			return fmt.Sprint(reg.Get("realm_push_notifications_enabled"), " ",
				reg.Get("realm_push_notifications_enabled_end_timestamp"))
		}
		const property = `realm/update everyone {"property":"push_notifications_enabled%s","value":%s}`
		for _, c := range []struct {
			status string
			events []string
			want   string
		}{
			{`{"can_push":true,"expected_end_timestamp":null}`, nil, "true <nil>"},
			{`{"can_push":true,"expected_end_timestamp":1900000000}`,
				[]string{fmt.Sprintf(property, "_end_timestamp", "1900000000")},
				"true 1900000000"},
			{`{"can_push":false,"expected_end_timestamp":null}`, []string{
				fmt.Sprintf(property, "", "false"), fmt.Sprintf(property, "_end_timestamp", "null"),
			}, "false <nil>"},
			{`{"can_push":false,"expected_end_timestamp":null}`, nil, "false <nil>"},
			{"", []string{fmt.Sprintf(property, "", "true")}, "true <nil>"},
			{"refused", []string{fmt.Sprintf(property, "", "false")}, "false <nil>"},
		} {
			w.relay.setRealmStatus(c.status)
			w.direct("alice", "x", "bob")
			w.run()
			if len(c.events) > 0 {
				w.Events(c.events...)
			}
			w.NoEvents()
			if got := enabled(); got != c.want {
				t.Errorf("%s: clients received %s, want %s", c.status, got, c.want)
			}
		}
	})
}
