package notifications_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestSettings checks that each notification setting matters by itself: with one value a message causes a notification,
// with the other it does not.
func TestSettings(t *testing.T) {
	w := open(t, kittest.Memory, "bob")
	bob, general := w.As("bob"), fmt.Sprint(w.ChannelID("general"))
	bob.Do("PATCH /settings", "automatically_follow_topics_where_mentioned", "false").OK()
	sends := map[string]func(topic string){
		"direct":   func(string) { w.direct("alice", "x", "bob") },
		"plain":    func(topic string) { w.post("alice", topic, "x") },
		"mention":  func(topic string) { w.post("alice", topic, "@**Bob**") },
		"wildcard": func(topic string) { w.post("olga", topic, "@**all**") },
	}
	const wildcards, followed = "wildcard_mentions_notify", "enable_followed_topic_push_notifications"
	for i, c := range []struct {
		setting  string
		off      []string // off for both values
		followed bool     // the topic is followed
		message  string
	}{
		{"enable_offline_push_notifications", nil, false, "direct"},
		{"enable_offline_push_notifications", nil, false, "mention"},
		{"enable_offline_push_notifications", nil, false, "wildcard"},
		{wildcards, nil, false, "wildcard"},
		{"enable_followed_topic_wildcard_mentions_notify", []string{wildcards, followed}, true, "wildcard"},
		{followed, nil, true, "plain"},
		{"enable_stream_push_notifications", nil, false, "plain"},
	} {
		topic := fmt.Sprint("topic ", i)
		if c.followed {
			bob.Do("POST /user_topics", "stream_id", general, "topic", topic, "visibility_policy", "3").OK()
		}
		set := func(value string, names ...string) {
			for _, name := range names {
				bob.Do("PATCH /settings", name, value).OK()
			}
		}
		set("false", c.off...)
		got := map[string]int{}
		for _, value := range []string{"true", "false"} {
			set(value, c.setting)
			sends[c.message](topic)
			w.run()
			got[value] = len(w.take())
		}
		if got["true"] != 1 || got["false"] != 0 {
			t.Errorf("%s without %v, %s, followed %v: %v notifications", c.setting, c.off, c.message, c.followed, got)
		}
		set("true", c.off...)
		set(fmt.Sprint(c.setting != "enable_stream_push_notifications"), c.setting)
	}
}
