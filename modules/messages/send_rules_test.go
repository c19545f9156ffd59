package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/messages"
)

// onlyUsers returns a group setting that contains only the named users.
func onlyUsers(s *kittest.Server, names ...string) string {
	s.T.Helper()
	return fmt.Sprintf(`{"new":{"direct_members":%s,"direct_subgroups":[]}}`, ids(s, names...))
}

// systemGroup returns a group setting that names a system group.
func systemGroup(s *kittest.Server, name string) string {
	s.T.Helper()
	return fmt.Sprintf(`{"new":%d}`, groupID(s, "role:"+name))
}

// Normalization and validation of topics.
func TestTopicRules(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	for _, c := range []struct{ name, sent, want, refused string }{
		{"stripped", " \t lunch\n ", "lunch", ""},
		{"sixty", strings.Repeat("é", 60), strings.Repeat("é", 60), ""},
		{"sixty-one", strings.Repeat("é", 61), strings.Repeat("é", 57) + "...", ""},
		{"sixty, and blanks", "  " + strings.Repeat("é", 60) + "  ", strings.Repeat("é", 60), ""},
		{"case is kept", "LuNcH", "LuNcH", ""},
		{"a joiner", "a\u200db", "a\u200db", ""},
		{"a private character", "a\ue000", "a\ue000", ""},
		{"the empty one", "(no topic)", "", ""},
		{"a line within", "ab\ncd", "", "Invalid character in topic, at position 3!"},
		{"del", "\x7f", "", "Invalid character in topic, at position 1!"},
		{"a control of the upper half", "a\u0085b", "", "Invalid character in topic, at position 2!"},
		{"no character", "ééé\ufdd0", "", "Invalid character in topic, at position 4!"},
		{"no character at the end of the first plane", "a\uffff", "", "Invalid character in topic, at position 2!"},
		{"no character at the end of another plane", "a\U0001fffe", "", "Invalid character in topic, at position 2!"},
		{"bad where it would be cut", strings.Repeat("a", 70) + "\x01", "", "Invalid character in topic, at position 71!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.In(t)
			s.Skip()
			a := s.As("alice").Do("POST /messages", "type", "channel", "to", "general", "subject", c.sent, "content", "x")
			if c.refused != "" {
				a.Error(400, "BAD_REQUEST", c.refused)
				s.NoEvents()
				return
			}
			a.Is(200, `{"result":"success","msg":"","id":"*"}`)
			got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", a.Int("id")), "allow_empty_topic_name",
				"true").OK().String("message.subject")
			if got != c.want {
				t.Errorf("topic %q, want %q", got, c.want)
			}
		})
	}
}

// Normalization and validation of content.
func TestContentRules(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	for _, c := range []struct {
		name, sent, raw string
		me              bool
	}{
		{"blanks at the left stay", "\n\n   x \t\n", "   x", false},
		{"just within the limit", strings.Repeat("ü", 10_000), strings.Repeat("ü", 10_000), false},
		{"just above it", strings.Repeat("ü", 10_001), strings.Repeat("ü", 9_980) + "\n[message truncated]", false},
		{"within it once it is stripped", strings.Repeat("ü", 10_000) + "    ", strings.Repeat("ü", 10_000), false},
		{"me", "/me waves", "/me waves", true},
		{"me without a blank", "/mewaves", "/mewaves", false},
		{"me with nothing after it", "/me  ", "/me", false},
		{"me after a blank", " /me waves", " /me waves", false},
	} {
		id := post(s, "alice", "general", "x", c.sent)
		a := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
		if got := a.String("raw_content"); got != c.raw || a.Get("message.is_me_message") != c.me {
			t.Errorf("%s: %.40q (%d), is_me_message %v", c.name, got, len([]rune(got)), a.Get("message.is_me_message"))
		}
	}
	s.Skip()
	a := s.As("alice").Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content", "x", "color",
		"blue").OK()
	if got := kittest.JSON(a.Get("ignored_parameters_unsupported")); got != `["color"]` {
		t.Errorf("ignored: %s", got)
	}
}

// Topic policies of channels, and of the realm for channels without one.
func TestTopicsPolicies(t *testing.T) {
	s := startFull(t)
	const noEmpty, onlyEmpty = "Sending messages to the general chat is not allowed in this channel.",
		"Only the general chat topic is allowed in this channel."
	for _, policy := range []string{"inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"} {
		makeChannel(s, policy, []string{"olga", "alice", "bob"}, "topics_policy", policy)
	}
	for _, realm := range []string{"allow_empty_topic", "disable_empty_topic"} {
		s.As("olga").Do("PATCH /realm", "topics_policy", realm).OK()
		for _, c := range []struct{ channel, topic, refused string }{
			{"inherit", "", map[string]string{"disable_empty_topic": noEmpty}[realm]},
			{"inherit", "x", ""},
			{"allow_empty_topic", "", ""},
			{"allow_empty_topic", "x", ""},
			{"disable_empty_topic", "", noEmpty},
			{"disable_empty_topic", "general chat", noEmpty},
			{"disable_empty_topic", "x", ""},
			{"empty_topic_only", "", ""},
			{"empty_topic_only", "(no topic)", ""},
			{"empty_topic_only", "x", onlyEmpty},
		} {
			t.Run(fmt.Sprintf("%s, %s, %q", realm, c.channel, c.topic), func(t *testing.T) {
				s := s.In(t)
				s.Skip()
				a := s.As("alice").Do("POST /messages", "type", "stream", "to", c.channel, "topic", c.topic, "content", "x")
				if c.refused == "" {
					a.OK()
					return
				}
				a.Error(400, "BAD_REQUEST", c.refused)
				s.NoEvents()
			})
		}
	}
}

// Who may send to which channel, in the order of the checks.
func TestWhoMaySend(t *testing.T) {
	s := startOpen(t)
	everyone := []string{"olga", "adam", "mona", "alice", "bob", "guest", "bot"}
	makeChannel(s, "lobby", []string{"olga"})
	makeChannel(s, "vault", []string{"olga", "bob"}, "invite_only", "true")
	makeChannel(s, "alices", []string{"olga", "alice"}, "invite_only", "true")
	web := makeChannel(s, "stage", []string{"olga"})
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", web), "is_web_public", "true").OK()
	news := makeChannel(s, "news", everyone)
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", news), "can_send_message_group", onlyUsers(s, "olga", "alice")).OK()
	door := makeChannel(s, "door", []string{"olga"}, "invite_only", "true")
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", door), "can_subscribe_group", onlyUsers(s, "bob", "guest")).OK()
	const (
		no     = "Not authorized to send to channel '%s'"
		silent = "You do not have permission to post in this channel."
	)
	for _, c := range []struct {
		channel string
		refused map[string]string // users not listed may send
	}{
		{"general", nil},
		{"lobby", map[string]string{"guest": no}}, // public: subscription not needed
		{"stage", nil}, // web-public: guests too
		{"vault", map[string]string{"adam": no, "mona": no, "alice": no, "guest": no, "bot": no}},
		{"alices", map[string]string{"adam": no, "mona": no, "bob": no, "guest": no}}, // only the bot's owner is subscribed
		{"news", map[string]string{"adam": silent, "mona": silent, "bob": silent, "guest": silent}},
		// Guests need a subscription.
		{"door", map[string]string{"adam": no, "mona": no, "alice": no, "guest": no, "bot": no}},
	} {
		for _, who := range everyone {
			t.Run(c.channel+", "+who, func(t *testing.T) {
				s := s.In(t)
				s.Skip()
				a := s.As(who).Do("POST /messages", "type", "stream", "to", c.channel, "topic", "x", "content", "x")
				want := c.refused[who]
				if want == "" {
					a.Is(200, `{"result":"success","msg":"","id":"*"}`)
					return
				}
				if want == no {
					want = fmt.Sprintf(no, c.channel)
				}
				a.Error(400, "BAD_REQUEST", want)
				s.NoEvents()
			})
		}
	}
}

// Who may create a topic; permission to post is checked first.
func TestNewTopics(t *testing.T) {
	s := startFull(t)
	vault := makeChannel(s, "vault", []string{"olga", "alice", "adam"}, "invite_only", "true",
		"history_public_to_subscribers", "true")
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", vault), "can_create_topic_group", onlyUsers(s, "olga")).OK()
	post(s, "olga", "vault", "old", "x")
	const no = "You do not have permission to create new topics in this channel."
	send := func(as, topic string) *kittest.Response {
		return s.As(as).Do("POST /messages", "type", "stream", "to", "vault", "topic", topic, "content", "x")
	}
	send("alice", "OLD").OK()
	s.Skip()
	send("alice", "new").Error(400, "BAD_REQUEST", no)
	send("alice", "").Error(400, "BAD_REQUEST", no)
	s.NoEvents()
	send("olga", "").OK()
	send("alice", "general chat").OK()
	id := send("olga", "short").OK().Int("id")
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
	s.Skip()
	send("alice", "short").Error(400, "BAD_REQUEST", no) // the topic no longer has messages
	s.NoEvents()
	moved := send("alice", "old").OK().Int("id")
	s.Skip()
	edit(s, "alice", moved, "topic", "newer").Error(400, "BAD_REQUEST", no)
	s.NoEvents()
	edit(s, "alice", moved, "topic", "").OK()
	edit(s, "olga", moved, "topic", "newest").OK()
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", vault), "can_send_message_group", onlyUsers(s, "olga")).OK()
	s.Skip()
	send("adam", "newer").Error(400, "BAD_REQUEST", "You do not have permission to post in this channel.")
	s.NoEvents()
}
