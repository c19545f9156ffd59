package notification_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

var update = flag.Bool("update", false, "write DECISIONS.md")

// line is a row of the table: a message as received by a user, and the user's settings.
type line struct {
	message  string
	received notification.Case
	set      string
	with     func(*user.Settings, *notification.Case)
}

// defaultSettings returns the default settings of new users.
func defaultSettings() user.Settings {
	return user.Settings{
		EnableOfflinePushNotifications: true, EnableOfflineEmailNotifications: true, WildcardMentionsNotify: true,
		EnableFollowedTopicPushNotifications: true, EnableFollowedTopicEmailNotifications: true,
		EnableFollowedTopicWildcardNotify: true,
	}
}

func lines() []line {
	no, yes := false, true
	var out []line
	messages := []struct {
		name string
		c    notification.Case
	}{
		{"direct message", notification.Case{Direct: true}},
		{"direct message with a mention", notification.Case{Direct: true, Mentioned: true}},
		{"mention by name, through a group, or by an alert word", notification.Case{Mentioned: true}},
		{"mention and channel wildcard", notification.Case{Mentioned: true, ChannelWildcard: true}},
		{"topic wildcard", notification.Case{TopicWildcard: true}},
		{"channel wildcard", notification.Case{ChannelWildcard: true}},
		{"topic and channel wildcard", notification.Case{TopicWildcard: true, ChannelWildcard: true}},
		{"channel message", notification.Case{}},
	}
	settings := []struct {
		name string
		with func(*user.Settings, *notification.Case)
	}{
		{"nothing", func(*user.Settings, *notification.Case) {}},
		{"channel muted", func(_ *user.Settings, c *notification.Case) { c.Subscription.Muted = true }},
		{"channel muted, topic unmuted", func(_ *user.Settings, c *notification.Case) {
			c.Subscription.Muted, c.Topic = true, topic.Unmuted
		}},
		{"topic muted", func(_ *user.Settings, c *notification.Case) { c.Topic = topic.Muted }},
		{"topic followed", func(_ *user.Settings, c *notification.Case) { c.Topic = topic.Followed }},
		{"topic followed, channel muted", func(_ *user.Settings, c *notification.Case) {
			c.Subscription.Muted, c.Topic = true, topic.Followed
		}},
		{"topic followed, notifications of followed topics disabled", func(s *user.Settings, c *notification.Case) {
			c.Topic = topic.Followed
			s.EnableFollowedTopicPushNotifications, s.EnableFollowedTopicEmailNotifications = false, false
			s.EnableFollowedTopicWildcardNotify = false
		}},
		{"wildcards do not notify", func(s *user.Settings, _ *notification.Case) { s.WildcardMentionsNotify = false }},
		{"wildcards notify in this channel only", func(s *user.Settings, c *notification.Case) {
			s.WildcardMentionsNotify, c.Subscription.Wildcard = false, &yes
		}},
		{
			"wildcards do not notify in this channel",
			func(_ *user.Settings, c *notification.Case) { c.Subscription.Wildcard = &no },
		},
		{"this channel notifies", func(_ *user.Settings, c *notification.Case) {
			c.Subscription.Push, c.Subscription.Email = &yes, &yes
		}},
		{"this channel notifies, but is muted", func(_ *user.Settings, c *notification.Case) {
			c.Subscription.Push, c.Subscription.Email, c.Subscription.Muted = &yes, &yes, true
		}},
		{"all channels notify, but not this one", func(s *user.Settings, c *notification.Case) {
			s.EnableStreamPushNotifications, s.EnableStreamEmailNotifications = true, true
			c.Subscription.Push, c.Subscription.Email = &no, &no
		}},
		{"direct messages and mentions do not notify", func(s *user.Settings, _ *notification.Case) {
			s.EnableOfflinePushNotifications, s.EnableOfflineEmailNotifications = false, false
		}},
		{"direct messages and mentions do not notify, topic followed", func(s *user.Settings, c *notification.Case) {
			s.EnableOfflinePushNotifications, s.EnableOfflineEmailNotifications = false, false
			c.Topic = topic.Followed
		}},
	}
	for _, m := range messages {
		for _, set := range settings {
			if m.c.Direct && set.name != "nothing" &&
				!strings.HasPrefix(set.name, "direct messages and mentions do not notify") {
				continue
			}
			out = append(out, line{m.name, m.c, set.name, set.with})
		}
	}
	return out
}

const head = `# Who is notified of a message

Generated from notification.Case by ` + "`go test ./domain/notification -update`" + `; a test compares it with the
function. Each row is a message received by an idle user, with the settings that differ from the defaults. The cells are
the triggers reported with notifications; an empty cell means no notification.

| message | set | push | email |
|---|---|---|---|
`

// TestDecisions compares the function with the published table, whose changes are reviewed.
func TestDecisions(t *testing.T) {
	var got strings.Builder
	got.WriteString(head)
	for _, l := range lines() {
		settings, c := defaultSettings(), l.received
		l.with(&settings, &c)
		c.Settings = &settings
		fmt.Fprintf(
			&got,
			"| %s | %s | %s | %s |\n",
			l.message,
			l.set,
			c.Reason(notification.Push),
			c.Reason(notification.Email),
		)
	}
	const name = "DECISIONS.md"
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s differs from the function's decisions; go test ./domain/notification -update writes it:\n%s", name, &got)
	}
}

// TestOnline checks that users who are not idle get only push notifications, and only if enabled.
func TestOnline(t *testing.T) {
	wants := &user.Settings{EnableOnlinePushNotifications: true}
	for _, c := range []struct {
		kind notification.Kind
		of   *user.Settings
		want bool
	}{
		{notification.Push, wants, true}, {notification.Email, wants, false},
		{notification.Push, &user.Settings{}, false}, {notification.Email, &user.Settings{}, false},
	} {
		if got := c.kind.Online(c.of); got != c.want {
			t.Errorf("kind %d, %v: %v", c.kind, c.of.EnableOnlinePushNotifications, got)
		}
	}
}
