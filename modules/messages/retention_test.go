package messages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

const day = 24 * time.Hour

// remaining returns the names of the messages that still exist.
func remaining(s *stored, all map[string]int64) string {
	s.T.Helper()
	var out []string
	for name, id := range all {
		var n int
		if err := s.db.From(s.T.Context()).NewRaw("SELECT COUNT(*) FROM messages WHERE id = ?", id).Scan(s.T.Context(),
			&n); err != nil {
			s.T.Fatal(err)
		}
		if n > 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func retain(s *stored) { s.T.Helper(); s.RunJob("messages.retention") }

// Messages older than their channel's limit are deleted; messages exactly at the limit are kept. Direct messages follow
// the realm's setting. The test stops the clock at each limit.
func TestRetentionByAge(t *testing.T) {
	s := startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, events.Module)
	for name, days := range map[string]string{"three": "3", "ever": "unlimited", "usual": "realm_default", "old": "2"} {
		s.As("olga").Do("POST /channels/create", "name", name, "subscribers", ids(s.Server, "alice", "bob"),
			"message_retention_days", days).OK()
	}
	realmDays := func(days string) { t.Helper(); s.As("olga").Do("PATCH /realm", "message_retention_days", days).OK() }
	all := map[string]int64{"direct": sendDirect(s.Server, "alice", "x", "bob"),
		"self": sendDirect(s.Server, "alice", "x", "alice")}
	for _, name := range []string{"three", "ever", "usual", "old"} {
		all[name] = post(s.Server, "alice", name, "x", "x")
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", channelOf(s.Server, "old"))).OK()
	after := func(d time.Duration, want string) {
		t.Helper()
		s.Clock.Advance(d)
		retain(s)
		if got := remaining(s, all); got != want {
			t.Errorf("after %v: %s, want %s", s.Clock.Now().Sub(kittest.Epoch()), got, want)
		}
	}
	after(0, "direct ever old self three usual")
	after(2*day, "direct ever old self three usual")
	after(time.Microsecond, "direct ever self three usual") // archiving a channel does not extend its retention
	after(day-time.Microsecond, "direct ever self three usual")
	all["late"] = post(s.Server, "bob", "three", "x", "x")
	all["later"] = sendDirect(s.Server, "bob", "x", "alice")
	after(time.Microsecond, "direct ever late later self usual")
	realmDays("5")
	after(2*day-time.Microsecond, "direct ever late later self usual")
	after(time.Microsecond, "ever late later")
	realmDays(`"unlimited"`)
	after(day, "ever later")
	after(1000*day, "ever later")
	realmDays("2000")
	after(0, "ever later")
	realmDays("10")
	after(0, "ever")
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", channelOf(s.Server, "ever")), "message_retention_days",
		"realm_default").OK()
	after(0, "")
	if n := s.count("message_archive"); n != 8 { // the job that empties the archive did not run
		t.Errorf("%d messages are in the archive", n)
	}
	s.Skip()
	after(100*day, "")
	s.NoEvents()
}

func channelOf(s *kittest.Server, name string) int64 {
	s.T.Helper()
	return s.As("olga").Do("GET /get_stream_id", "stream", name).OK().Int("stream_id")
}

// Users who could see deleted messages are notified, all dependent rows are deleted, and the channel's first message is
// updated.
func TestRetentionIsAnnounced(t *testing.T) {
	s := startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, events.Module)
	general := int64(s.ChannelID("general"))
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", general), "message_retention_days", "7").OK()
	s.As("olga").Do("PATCH /realm", "message_retention_days", "7").OK()
	lifetime := []string{"client_capabilities", modern, "queue_lifespan_secs", "604800"}
	a, b := post(s.Server, "alice", "general", "one", "@**Bob** x"), post(s.Server, "alice", "general", "two", "x")
	c, d := post(s.Server, "bob", "general", "one", "y"), sendDirect(s.Server, "alice", "x", "bob")
	s.As("bob").Do(fmt.Sprintf("POST /messages/%d/reactions", a), "emoji_name", "heart").OK()
	s.As("bob").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", a), "op", "add", "flag", "starred").OK()
	s.Clock.Advance(day)
	stays := post(s.Server, "alice", "general", "one", "z")
	s.Clock.Advance(5 * day)
	bob, olga, mona := openQueue(s.Server, "bob", lifetime...), openQueue(s.Server, "olga", lifetime...),
		openQueue(s.Server, "mona", lifetime...)
	s.Clock.Advance(day + time.Second)
	s.Skip()
	retain(s)
	gone := func(topic string, ids ...int64) string {
		return fmt.Sprintf(`{"type":"delete_message","message_ids":%s,"message_type":"stream","stream_id":%d,"topic":%q}`,
			kittest.JSON(ids), general, topic)
	}
	direct := fmt.Sprintf(`{"type":"delete_message","message_ids":[%d],"message_type":"private"}`, d)
	sameJSON(t, "bob", bob.of("delete_message"), gone("one", a, c), gone("two", b), direct)
	sameJSON(t, "olga", olga.of("delete_message"), gone("one", a, c), gone("two", b))
	sameJSON(t, "mona", mona.of("delete_message"))
	s.EventsOf("stream", fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general",`+
		`"property":"first_message_id","value":%d}`, general, stays))
	for _, table := range []string{"reactions", "message_flags"} {
		if n := s.count(table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	if got := section(s.Server, "bob", "unread_msgs", `["message","update_message_flags"]`); !strings.Contains(got,
		fmt.Sprintf(`"streams":[{"stream_id":%d,"topic":"one","unread_message_ids":[%d]}]`, general, stays)) {
		t.Errorf("unread: %s", got)
	}
	if n := s.count("message_archive"); n != 4 {
		t.Errorf("%d messages are in the archive", n)
	}
	s.Clock.Advance(day)
	retain(s)
	s.EventsOf("stream", fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general",`+
		`"property":"first_message_id","value":null}`, general))
}

// In protected history, users are notified only of the messages that they had.
func TestRetentionInProtectedHistory(t *testing.T) {
	s := startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, events.Module)
	s.As("olga").Do("POST /channels/create", "name", "cellar", "invite_only", "true", "message_retention_days", "1",
		"subscribers", ids(s.Server, "alice")).OK()
	first := post(s.Server, "alice", "cellar", "x", "x")
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "principals",
		ids(s.Server, "bob")).OK()
	second := post(s.Server, "alice", "cellar", "x", "x")
	alice, bob, olga := openQueue(s.Server, "alice", "client_capabilities", modern, "queue_lifespan_secs", "604800"),
		openQueue(s.Server, "bob", "client_capabilities", modern, "queue_lifespan_secs", "604800"),
		openQueue(s.Server, "olga", "client_capabilities", modern, "queue_lifespan_secs", "604800")
	s.Clock.Advance(day + time.Second)
	retain(s)
	deletion := func(ids ...int64) string {
		return fmt.Sprintf(`{"type":"delete_message","message_ids":%s,"message_type":"stream","stream_id":%d,"topic":"x"}`,
			kittest.JSON(ids), s.privateID("alice", "cellar"))
	}
	sameJSON(t, "alice", alice.of("delete_message"), deletion(first, second))
	sameJSON(t, "bob", bob.of("delete_message"), deletion(second))
	sameJSON(t, "olga", olga.of("delete_message"))
}

func (s *stored) privateID(as, name string) int64 {
	s.T.Helper()
	return s.As(as).Do("GET /get_stream_id", "stream", name).OK().Int("stream_id")
}

// Many messages are deleted in blocks; each run continues where the last one ended.
func TestRetentionInBlocks(t *testing.T) {
	s := startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module)
	s.As("olga").Do("PATCH /realm", "message_retention_days", "1").OK()
	id, direct := post(s.Server, "alice", "general", "busy", "x"), sendDirect(s.Server, "alice", "x", "bob")
	s.fill(id, 1200, "recipient_id")
	s.fill(direct, 700, "recipient_id")
	s.Do(func(ctx context.Context) error { // in another realm, which keeps everything
		_, err := s.db.From(ctx).NewRaw(
			`INSERT INTO messages (realm_id, recipient_id, topic, topic_key, sender_id, client, sent_at, content, rendered,
				render_version, facts, notice)
			SELECT realm_id + 1, recipient_id, topic, topic_key, sender_id, client, sent_at, content, rendered,
				render_version, facts, notice
			FROM messages WHERE id IN (?, ?)`, id, direct).Exec(ctx)
		return err
	})
	s.Clock.Advance(day + time.Minute)
	keep, too := post(s.Server, "alice", "general", "busy", "x"), sendDirect(s.Server, "alice", "x", "bob")
	s.Skip()
	retain(s)
	var sizes []int
	for _, e := range s.Log() {
		if e.Type == "delete_message" {
			sizes = append(sizes, deletedIn(t, e))
		}
	}
	if fmt.Sprint(sizes) != "[500 500 201 500 201]" {
		t.Errorf("deleted in blocks of %v", sizes)
	}
	if got := remaining(s, map[string]int64{"keep": keep, "too": too}); got != "keep too" || s.count("messages") != 2+2 {
		t.Errorf("%d messages are left, of the recent ones %s", s.count("messages"), got)
	}
}

func deletedIn(t *testing.T, e event.Entry) int {
	t.Helper()
	var p struct {
		IDs event.People `json:"ids"`
	}
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		t.Fatal(err)
	}
	return len(p.IDs)
}
