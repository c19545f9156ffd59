package mailnotify_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestSettings checks that each mail setting has an effect: a message is mailed with one value and not with the other.
func TestSettings(t *testing.T) {
	w := start(t, kittest.Memory)
	bob, general := w.As("bob"), fmt.Sprint(w.ChannelID("general"))
	bob.Do("PATCH /settings", "automatically_follow_topics_where_mentioned", "false").OK()
	policy := func(topic, value string) {
		bob.Do("POST /user_topics", "stream_id", general, "topic", topic, "visibility_policy", value).OK()
	}
	mails := func() (n int) { // to bob
		w.decide()
		w.Clock.Advance(3 * time.Minute)
		for _, m := range w.sent() {
			if m.To == "bob@example.com" {
				n++
			}
		}
		return n
	}
	send := map[string]func(topic string){
		"direct":   func(string) { w.direct("alice", "bob", "x") },
		"plain":    func(topic string) { w.post("alice", topic, "x") },
		"mention":  func(topic string) { w.post("alice", topic, "@**Bob**") },
		"wildcard": func(topic string) { w.post("olga", topic, "@**all**") },
	}
	off := func(names ...string) (all []string) {
		for _, n := range names {
			all = append(all, n, "false")
		}
		return all
	}
	for i, c := range []struct {
		set      []string // for both values
		setting  string
		followed bool
		message  string
		ignored  bool // the setting must have no effect
	}{
		{nil, "enable_offline_email_notifications", false, "direct", false},
		{nil, "enable_offline_email_notifications", false, "mention", false},
		{nil, "enable_offline_email_notifications", false, "wildcard", false},
		{off("wildcard_mentions_notify"), "enable_offline_email_notifications", false, "wildcard", true},
		{nil, "wildcard_mentions_notify", false, "wildcard", false},
		{nil, "wildcard_mentions_notify", false, "mention", true},
		{off("wildcard_mentions_notify", "enable_followed_topic_email_notifications"),
			"enable_followed_topic_wildcard_mentions_notify", true, "wildcard", false},
		{off("wildcard_mentions_notify"), "enable_followed_topic_email_notifications", true, "plain", false},
		{nil, "enable_followed_topic_email_notifications", false, "plain", true},
		{nil, "enable_followed_topic_push_notifications", true, "direct", true},
		{nil, "enable_stream_email_notifications", false, "plain", false},
		{nil, "enable_offline_push_notifications", false, "mention", true},
	} {
		topic := fmt.Sprint("topic ", i)
		if c.followed {
			policy(topic, "3")
		}
		for j := 0; j+1 < len(c.set); j += 2 {
			bob.Do("PATCH /settings", c.set[j], c.set[j+1]).OK()
		}
		got := map[string]int{}
		for _, value := range []string{"true", "false"} {
			bob.Do("PATCH /settings", c.setting, value).OK()
			send[c.message](topic)
			got[value] = mails()
		}
		if c.ignored && got["true"] != got["false"] || !c.ignored && (got["true"] != 1 || got["false"] != 0) {
			t.Errorf("%s with %v, %s, followed %v: %v mails", c.setting, c.set, c.message, c.followed, got)
		}
		for _, name := range append([]string{c.setting}, everyOther(c.set)...) {
			bob.Do("PATCH /settings", name, fmt.Sprint(name != "enable_stream_email_notifications")).OK()
		}
	}

	bob.Do("PATCH /settings", "email_notifications_batching_period_seconds", "600").OK()
	w.direct("alice", "bob", "x")
	if n := mails(); n != 0 {
		t.Errorf("%d mails before the configured delay", n)
	}
	w.Clock.Advance(8 * time.Minute)
	if n := mails(); n != 1 {
		t.Errorf("%d mails after the configured delay", n)
	}
}

func everyOther(pairs []string) (names []string) {
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, pairs[i])
	}
	return names
}
