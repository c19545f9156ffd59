package messages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// join creates a user and returns the ID and a client.
func join(t *testing.T, s *kittest.Server, name string, how func(*ports.NewUser)) (user.ID, *kittest.Client) {
	t.Helper()
	by := user.Actor{Realm: s.Realm, System: true}
	n := ports.NewUser{Email: name + "@example.com", FullName: name, Role: user.Member}
	if how != nil {
		how(&n)
	}
	id, err := s.Ports.Accounts.Create(t.Context(), by, n)
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.Ports.Accounts.IssueKey(t.Context(), by, id)
	if err != nil {
		t.Fatal(err)
	}
	return id, s.WithKey(n.Email, key)
}

// newest returns the messages that a client reads.
func newest(c *kittest.Client) []sent {
	var p struct{ Messages []sent }
	c.Do("GET /messages", "anchor", "newest", "num_before", "50", "num_after", "0", "apply_markdown", "false",
		"allow_empty_topic_name", "true").OK().JSON(&p)
	return p.Messages
}

// New users receive the realm's welcome message, and are announced if the realm has a channel for that.
func TestWhoJoins(t *testing.T) {
	s := startFull(t)
	olga, general := s.As("olga"), s.ChannelID("general")
	_, c := join(t, s, "nobody", nil)
	if got := newest(c); len(got) != 0 {
		t.Errorf("without the settings there are %v", got)
	}
	olga.Do("POST /default_streams", "stream_id", fmt.Sprint(general)).OK()
	olga.Do("PATCH /realm", "welcome_message_custom_text", "Read the *rules*, @**all**.", "signup_announcements_stream_id",
		fmt.Sprint(general)).OK()
	q := olga.Register("event_types", `["message"]`)

	nina, c := join(t, s, "Nina", nil)
	got := newest(c)
	if len(got) != 2 || got[0].Content != "Read the *rules*, @**all**." || got[0].Type != "private" ||
		!strings.HasPrefix(got[0].Sender, "welcome-bot@") ||
		len(got[0].Flags) != 0 || got[1].Content != fmt.Sprintf("@_**Nina|%d** joined this organization.", nina) ||
		got[1].Subject != "signups" ||
		got[1].Channel != int64(general) || fmt.Sprint(got[1].Flags) != "[read]" {
		t.Errorf("nina reads %+v", got)
	}
	a := q.Take()
	if strings.Count(a.Body, `"type":"message"`) != 1 || !strings.Contains(a.Body, "joined this organization") ||
		strings.Contains(a.Body, "rules") {
		t.Errorf("olga received %s", a.Body)
	}
	_, c = join(t, s, "own", func(n *ports.NewUser) { text := "Hello you."; n.Welcome = &text })
	if got := newest(c); len(got) == 0 || got[len(got)-2].Content != "Hello you." {
		t.Errorf("the user invited with a custom message got %+v", got)
	}
	_, c = join(t, s, "silent", func(n *ports.NewUser) { text := ""; n.Welcome = &text })
	for _, m := range newest(c) {
		if m.Type == "private" {
			t.Errorf("the user invited without a message got %+v", m)
		}
	}
	before := len(newest(olga))
	join(t, s, "robot", func(n *ports.NewUser) { n.BotType = user.GenericBot })
	if after := len(newest(olga)); after != before {
		t.Errorf("a bot was announced")
	}
	// A realm without direct messages between users still sends welcome messages.
	olga.Do("PATCH /realm", "direct_message_permission_group", `{"new":1}`, "signup_announcements_stream_id", "-1").OK()
	_, c = join(t, s, "last", nil)
	if got := newest(c); len(got) == 0 || got[len(got)-1].Type != "private" {
		t.Errorf("the last user got %+v", got)
	}
}

func TestWelcomePreview(t *testing.T) {
	s := startFull(t)
	for _, who := range []string{"mona", "alice", "guest", "bot"} {
		s.As(who).Do("POST /realm/test_welcome_bot_custom_message", "welcome_message_custom_text", "x").Error(400,
			"UNAUTHORIZED_PRINCIPAL", "administrator")
	}
	adam := s.As("adam")
	adam.Do("POST /realm/test_welcome_bot_custom_message").Error(400, "REQUEST_VARIABLE_MISSING", "")
	for _, text := range []string{"", " ", "a\x00b", strings.Repeat("é", 8001)} {
		adam.Do("POST /realm/test_welcome_bot_custom_message", "welcome_message_custom_text", text).Error(400, "BAD_REQUEST",
			"")
	}
	s.NoEvents()
	long := strings.Repeat("é", 8000)
	id := adam.Do("POST /realm/test_welcome_bot_custom_message", "welcome_message_custom_text",
		long).OK().Int("message_id")
	m := adam.Do(fmt.Sprintf("GET /messages/%d", id), "apply_markdown", "false").OK()
	if m.String("message.content") != long || !strings.HasPrefix(m.String("message.sender_email"), "welcome-bot@") {
		t.Errorf("adam reads %.300s", m.Body)
	}
	s.As("olga").Do(fmt.Sprintf("GET /messages/%d", id)).Error(400, "BAD_REQUEST", "")
	if got := fmt.Sprint(s.As("adam").Do("POST /register", "fetch_event_types",
		`["realm"]`).OK().Get("realm_welcome_message_custom_text")); got != "" {
		t.Errorf("the setting is now %q", got)
	}
}

// New users find the newest messages of their public channels unread, and nothing else.
func TestNewcomersBeginWithUnreadMessages(t *testing.T) {
	s := startFull(t)
	olga, general := s.As("olga"), s.ChannelID("general")
	olga.Do("POST /default_streams", "stream_id", fmt.Sprint(general)).OK()
	send := func(channel, content string) {
		olga.Do("POST /messages", "type", "channel", "to", fmt.Sprint(s.ChannelID(channel)), "topic", "t", "content",
			content).OK()
	}
	unread := func(c *kittest.Client) (contents []string) {
		for _, m := range newest(c) {
			if !slices.Contains(m.Flags, "read") {
				contents = append(contents, m.Content)
			}
		}
		a := c.Do("POST /register", "fetch_event_types", unreadTypes).OK()
		if n := int(a.Int("unread_msgs.count")); n != len(contents) {
			t.Errorf("%d messages are counted as unread, %d are", n, len(contents))
		}
		return contents
	}
	invited := func(n *ports.NewUser) { n.Channels = []channel.ID{s.ChannelID("secret")} }

	send("general", "months ago")
	s.Clock.Advance(13 * 7 * 24 * time.Hour)
	send("secret", "hidden")
	send("general", "hello")
	id, c := join(t, s, "Nina", invited)
	if got := unread(c); fmt.Sprint(got) != "[hello]" {
		t.Errorf("nina's unread messages are %q", got)
	}
	for i := range 25 {
		send("general", fmt.Sprint(i))
	}
	_, late := join(t, s, "Late", nil)
	if got := unread(late); len(got) != 20 || got[0] != "5" || got[19] != "24" {
		t.Errorf("the last user's unread messages are %q", got)
	}
	late.Do("POST /mark_all_as_read").OK()
	if got := unread(late); len(got) != 0 {
		t.Errorf("after marking all as read, %q are unread", got)
	}
	if got := unread(c); len(got) != 26 {
		t.Errorf("user %d has %d unread messages", id, len(got))
	}
	_, robot := join(t, s, "robot", func(n *ports.NewUser) { n.BotType = user.GenericBot; invited(n) })
	if got := unread(robot); len(got) != 0 {
		t.Errorf("a bot's unread messages are %q", got)
	}
}

// Who joins without the operator's help is welcomed by default: in their own language if it is known and has
// translations, otherwise in that of the organization.
func TestWelcomeByDefault(t *testing.T) {
	s := startFull(t)
	s.As("olga").Do("PATCH /realm", "default_language", "fr").OK()
	by := user.Actor{Realm: s.Realm, Client: "website"}
	for i, c := range []struct{ language, begins string }{
		{"", "Bonjour et bienvenue !"}, {"en", "Hello, and welcome!"}, {"zh-hans", "你好，欢迎加入！"}, {"ar", "أهلًا"},
		{"tlh", "Bonjour"},
	} {
		email := fmt.Sprintf("nina%d@example.com", i)
		id, err := s.Ports.Accounts.Create(t.Context(), by, ports.NewUser{
			Email: email, FullName: fmt.Sprintf("Nina %d", i), Role: user.Member, Language: c.language,
		})
		if err != nil {
			t.Fatal(err)
		}
		key, err := s.Ports.Accounts.IssueKey(t.Context(), by, id)
		if err != nil {
			t.Fatal(err)
		}
		got := newest(s.WithKey(email, key))
		if len(got) != 1 || got[0].Type != "private" || !strings.HasPrefix(got[0].Content, c.begins) ||
			!strings.Contains(got[0].Content, "(/#inbox)") || len(got[0].Flags) != 0 {
			t.Errorf("with the language %q, Nina reads %+v", c.language, got)
		}
	}
}
