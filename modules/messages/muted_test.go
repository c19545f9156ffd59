package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
)

// set changes a property of a subscription.
func set(s *kittest.Server, as, channel, property, value string) {
	s.T.Helper()
	s.As(as).Do("POST /users/me/subscriptions/properties", "subscription_data",
		fmt.Sprintf(`[{"stream_id":%d,"property":%q,"value":%s}]`, s.ChannelID(channel), property, value)).OK()
}

func TestUnreadInMutedChannels(t *testing.T) {
	s := startWithQueues(t)
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"other"}]`, "principals",
		kittest.JSON([]int64{int64(s.UserID("alice")), int64(s.UserID("bob"))})).OK()
	sendDirect(s, "alice", "hi", "bob")
	named, wild := post(s, "alice", "general", "x", "@**Bob**"), post(s, "alice", "general", "x", "@**all**")
	elsewhere := post(s, "alice", "other", "x", "@**all**")
	count := func(as string) string {
		t.Helper()
		a := s.As(as).Do("POST /register", "event_types", unreadTypes, "fetch_event_types", unreadTypes).OK()
		return fmt.Sprint(a.Int("unread_msgs.count"), a.Get("unread_msgs.mentions"),
			len(a.Get("unread_msgs.streams").([]any)), len(a.Get("unread_msgs.pms").([]any)))
	}
	all := fmt.Sprint(4, []int64{named, wild, elsewhere}, 2, 1)
	if got := count("bob"); got != all {
		t.Errorf("nothing muted: %s, want %s", got, all)
	}
	set(s, "bob", "general", "is_muted", "true")
	if got, want := count("bob"), fmt.Sprint(2, []int64{named, elsewhere}, 2, 1); got != want {
		t.Errorf("general muted: %s, want %s", got, want)
	}
	if got, want := count("olga"), fmt.Sprint(2, []int64{wild}, 1, 0); got != want {
		t.Errorf("olga, who has muted nothing: %s, want %s", got, want)
	}
	set(s, "bob", "general", "in_home_view", "true")
	if got := count("bob"); got != all {
		t.Errorf("unmuted again: %s, want %s", got, all)
	}
}

func TestNarrowByMuting(t *testing.T) {
	s := startWithQueues(t)
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"other"}]`, "principals",
		kittest.JSON([]int64{int64(s.UserID("alice")), int64(s.UserID("bob"))})).OK()
	a, b := post(s, "alice", "general", "x", "y"), post(s, "alice", "other", "x", "y")
	c, d := sendDirect(s, "alice", "y", "bob"), post(s, "alice", "general", "z", "y")
	set(s, "bob", "general", "is_muted", "true")
	for _, l := range []struct{ as, narrow, want string }{
		{"bob", `[]`, fmt.Sprint(a, b, c, d)},
		{"bob", `[["in","home"]]`, fmt.Sprint(b, c)},
		{"bob", `[["in","all"]]`, fmt.Sprint(a, b, c, d)},
		{"bob", `[{"operator":"in","operand":"home","negated":true}]`, fmt.Sprint(a, d)},
		{"bob", `[["is","muted"]]`, fmt.Sprint(a, d)},
		{"bob", `[{"operator":"is","operand":"muted","negated":true}]`, fmt.Sprint(b, c)},
		{"bob", `[["is","muted"],["topic","z"]]`, fmt.Sprint(d)},
		{"bob", `[["is","muted"],["in","home"]]`, ""},
		{"bob", `[["is","muted"],["is","dm"]]`, ""},
		{"bob", `[["channel","general"],["in","home"]]`, ""},
		{"bob", `[["channel","other"],["in","home"]]`, fmt.Sprint(b)},
		{"bob", `[["channel","general"],["is","muted"]]`, fmt.Sprint(a, d)},
		{"alice", `[["in","home"]]`, fmt.Sprint(a, b, c, d)},
		{"alice", `[["is","muted"]]`, ""},
		{"olga", `[["in","home"]]`, fmt.Sprint(a, d)},
	} {
		if p := list(s, l.as, "anchor", "newest", "num_before", "50", "narrow", l.narrow); p.ids() != l.want {
			t.Errorf("%s %s: %q, want %q", l.as, l.narrow, p.ids(), l.want)
		}
	}
	// Messages with flags in channels that the user is not subscribed to are not in muted places, and neither are muted
	// channels that the user left.
	mark(s, "adam", "add", "starred", a).OK()
	if p := list(s, "adam", "anchor", "newest", "num_before", "50", "narrow",
		`[["in","home"]]`); p.ids() != fmt.Sprint(a) {
		t.Errorf("touched: %q", p.ids())
	}
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	if p := list(s, "bob", "anchor", "newest", "num_before", "50", "narrow", `[["is","muted"]]`); p.ids() != "" {
		t.Errorf("muted channels, and channels left: %q", p.ids())
	}
}

func TestFirstUnreadOutsideMuted(t *testing.T) {
	s := startWithQueues(t)
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"other"}]`, "principals",
		kittest.JSON([]int64{int64(s.UserID("alice")), int64(s.UserID("bob"))})).OK()
	a, b := post(s, "alice", "general", "x", "y"), post(s, "alice", "other", "x", "y")
	c, d := sendDirect(s, "alice", "y", "bob"), post(s, "alice", "general", "z", "y")
	set(s, "bob", "general", "is_muted", "true")
	for _, l := range []struct {
		narrow string
		want   int64
	}{
		{`[]`, b},
		{`[["is","dm"]]`, c},
		{`[["channel","general"]]`, a},
		{`[["channel","general"],["topic","z"]]`, d},
		{`[["topic","z"]]`, d},  // no match: the newest
		{`[["is","muted"]]`, d}, // no match either
		{`[["channel","other"]]`, b},
		{`[["in","home"]]`, b},
	} {
		p := list(s, "bob", "anchor", "first_unread", "num_before", "0", "num_after", "0", "narrow", l.narrow)
		if p.Anchor != l.want {
			t.Errorf("%s: anchor %d, want %d", l.narrow, p.Anchor, l.want)
		}
	}
	mark(s, "bob", "add", "read", b, c).OK()
	if p := list(s, "bob", "anchor", "first_unread", "num_before", "2", "num_after", "5"); p.ids() != fmt.Sprint(c, d) ||
		!p.FoundNewest {
		t.Errorf("all unread messages are muted: %+v", p)
	}
	set(s, "bob", "general", "is_muted", "false")
	if p := list(s, "bob", "anchor", "first_unread", "num_before", "0", "num_after", "0"); p.Anchor != a {
		t.Errorf("unmuted: anchor %d, want %d", p.Anchor, a)
	}
}

// The event for messages that become unread reports whether they are muted, for channels and for topics in any case.
func TestUnreadDetailsOfMuted(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, topics.Module, messages.Module, events.Module)
	loud, quiet, other := post(s, "alice", "general", "Loud", "x"), post(s, "alice", "general", "quiet", "x"),
		post(s, "alice", "general", "other", "x")
	direct := sendDirect(s, "alice", "x", "bob")
	policy := func(topic string, value int) {
		s.As("bob").Do("POST /user_topics", "stream_id", fmt.Sprint(s.ChannelID("general")), "topic", topic,
			"visibility_policy", fmt.Sprint(value)).OK()
	}
	policy("quiet", 1)
	check := func(as, wantLoud, wantQuiet, wantOther string) {
		t.Helper()
		mark(s, as, "add", "read", loud, quiet, other, direct).OK()
		q := s.As(as).Register("event_types", `["update_message_flags"]`)
		mark(s, as, "remove", "read", loud, quiet, other).OK()
		if as == "bob" {
			mark(s, as, "remove", "read", direct).OK()
		}
		a := q.Take()
		for id, want := range map[int64]string{loud: wantLoud, quiet: wantQuiet, other: wantOther} {
			if got := fmt.Sprint(a.Get(fmt.Sprintf("events.0.message_details.%d.unmuted_stream_msg", id))); got != want {
				t.Errorf("%s, message %d: unmuted is %s, want %s", as, id, got, want)
			}
		}
		if as == "bob" && a.Has(fmt.Sprintf("events.1.message_details.%d.unmuted_stream_msg", direct)) {
			t.Errorf("a direct message has a muted state")
		}
	}
	check("bob", "true", "false", "true")
	set(s, "bob", "general", "is_muted", "true")
	policy("loud", 2)
	check("bob", "true", "false", "false")
	policy("other", 3)
	check("bob", "true", "false", "true")
	check("olga", "true", "true", "true")
}
