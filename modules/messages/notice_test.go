package messages_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/event"
)

// startWithNotices starts a server whose realm has notices in channels enabled.
func startWithNotices(t *testing.T) *kittest.Server {
	t.Helper()
	s := startFull(t)
	s.As("olga").Do("PATCH /realm", "send_channel_events_messages", "true").OK()
	s.Skip()
	return s
}

// sent is a message as a reader receives it.
type sent struct {
	ID        int64    `json:"id"`
	Sender    string   `json:"sender_email"`
	Client    string   `json:"client"`
	Type      string   `json:"type"`
	Channel   int64    `json:"stream_id"`
	Subject   string   `json:"subject"`
	Content   string   `json:"content"`
	Flags     []string `json:"flags"`
	Timestamp int64    `json:"timestamp"`
}

// newestOf returns the messages that a user reads in a narrow, oldest first, as Markdown or HTML.
func newestOf(s *kittest.Server, as, narrow string, html bool) []sent {
	s.T.Helper()
	var p struct{ Messages []sent }
	s.As(as).Do("GET /messages", "anchor", "newest", "num_before", "200", "narrow", narrow, "apply_markdown",
		fmt.Sprint(html),
		"allow_empty_topic_name", "true").OK().JSON(&p)
	for _, m := range p.Messages {
		if strings.HasPrefix(m.Sender, "notification-bot@") && m.Client != "Internal" {
			s.T.Errorf("a notice has the client %q", m.Client)
		}
	}
	return p.Messages
}

func inChannelNarrow(channel string) string { return fmt.Sprintf(`[["channel",%q]]`, channel) }

// texts returns the topics and Markdown of the messages that a user reads in a narrow.
func texts(s *kittest.Server, as, narrow string) string {
	s.T.Helper()
	var all []string
	for _, m := range newestOf(s, as, narrow, false) {
		all = append(all, m.Subject+": "+m.Content)
	}
	return strings.Join(all, "\n---\n")
}

func kinds(entries []event.Entry) string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = strings.TrimSuffix(e.Type+"/"+e.Op, "/")
	}
	return strings.Join(all, " ")
}

func TestNoticeOfNewChannel(t *testing.T) {
	s := startWithNotices(t)
	alice := fmt.Sprintf("@_**Alice|%d**", s.UserID("alice"))
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions",
		`[{"name":"rome","description":"All *roads* @**all** @**Bob**"}]`,
		"principals", ids(s, "alice", "bob")).OK()
	if got := kinds(s.Log()); got != "stream/create subscription/add subscription/peer_add message" {
		t.Errorf("events: %s", got)
	}
	rome := s.As("bob").Do("GET /get_stream_id", "stream", "rome").OK().Int("stream_id")
	want := "channel events: " + alice + " made this channel: **Public**.\n\n> All *roads* @**all** @**Bob**"
	if got := texts(s, "bob", inChannelNarrow("rome")); got != want {
		t.Errorf("the notice is %q, want %q", got, want)
	}
	got := newestOf(s, "bob", inChannelNarrow("rome"), true)[0]
	if got.Sender != "notification-bot@stoa.invalid" || got.Channel != rome || len(got.Flags) != 0 {
		t.Errorf("bob, whom the notice does not notify, has %+v", got)
	}
	for _, part := range []string{`<span class="user-mention silent"`, `<strong>Public</strong>`, `<blockquote>`,
		`<em>roads</em>`} {
		if !strings.Contains(got.Content, part) {
			t.Errorf("no %s in %s", part, got.Content)
		}
	}
	if flags := newestOf(s, "alice", inChannelNarrow("rome"), true)[0].Flags; fmt.Sprint(flags) != "[read]" {
		t.Errorf("the channel's creator has the flags %v", flags)
	}
	if first := s.As("bob").Do(fmt.Sprintf("GET /streams/%d", rome)).OK().Int("stream.first_message_id"); first != got.ID {
		t.Errorf("first message %d, want %d", first, got.ID)
	}
	s.Restart()
	if first := s.As("bob").Do(fmt.Sprintf("GET /streams/%d", rome)).OK().Int("stream.first_message_id"); first != got.ID {
		t.Errorf("after a restart the first message is %d, want %d", first, got.ID)
	}
}

func TestNoticeOfKinds(t *testing.T) {
	s := startWithNotices(t)
	for _, c := range []struct {
		name   string
		params []string
		topic  string
		kind   string
	}{
		{"public", nil, "channel events", "Public"},
		{"shared", []string{"invite_only", "true", "history_public_to_subscribers", "true"}, "channel events",
			"Private, shared history"},
		{"protected", []string{"invite_only", "true"}, "channel events", "Private, protected history"},
		{"chat", []string{"topics_policy", "empty_topic_only"}, "", "Public"},
	} {
		s.As("olga").Do("POST /channels/create", append([]string{"name", c.name, "subscribers", ids(s, "olga")},
			c.params...)...).OK()
		want := fmt.Sprintf("%s: @_**Olga|%d** made this channel: **%s**.\n\n*No description.*", c.topic, s.UserID("olga"),
			c.kind)
		if got := texts(s, "olga", inChannelNarrow(c.name)); got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

func TestAnnouncement(t *testing.T) {
	s := startWithNotices(t)
	general := fmt.Sprint(s.ChannelID("general"))
	make := func(announce, names string) {
		t.Helper()
		s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", names, "announce", announce).OK()
	}
	make("true", `[{"name":"nowhere to announce"}]`)
	s.As("olga").Do("PATCH /realm", "new_stream_announcements_stream_id", general).OK()
	make("false", `[{"name":"quiet"}]`)
	if got := texts(s, "bob", inChannelNarrow("general")); got != "" {
		t.Errorf("announced without being requested: %s", got)
	}
	s.Skip()
	make("true", `[{"name":"one"}]`)
	if got := kinds(s.Log()); got != "stream/create subscription/add subscription/peer_add message message" {
		t.Errorf("events: %s", got)
	}
	make("true", `[{"name":"two"},{"name":"<b> @**all**"},{"name":"general"}]`)
	who := fmt.Sprintf("new channels: @_**Alice|%d** made ", s.UserID("alice"))
	odd := s.As("bob").Do("GET /get_stream_id", "stream", "<b> @**all**").OK().Int("stream_id")
	want := who + "the channel #**one**.\n---\n" +
		who + fmt.Sprintf("these channels:\n\n* #**two**\n* [&#35;&#60;b&#62; "+
		"&#64;&#42;&#42;all&#42;&#42;](/#narrow/channel/%d)", odd)
	if got := texts(s, "bob", inChannelNarrow("general")); got != want {
		t.Errorf("announced %q, want %q", got, want)
	}
	last := newestOf(s, "bob", inChannelNarrow("general"), true)[1]
	if len(last.Flags) != 0 || !strings.Contains(last.Content, `>#two</a>`) ||
		!strings.Contains(html.UnescapeString(last.Content), `>#<b> @**all**</a>`) {
		t.Errorf("the list is %+v", last)
	}
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"hush"}]`, "invite_only", "true",
		"announce", "true").OK()
	if got := texts(s, "bob", inChannelNarrow("general")); strings.Contains(got, "hush") {
		t.Errorf("a private channel was announced: %s", got)
	}
	// Announcements do not depend on the setting for notices in channels.
	s.As("olga").Do("PATCH /realm", "send_channel_events_messages", "false").OK()
	make("true", `[{"name":"three"}]`)
	if got := len(newestOf(s, "bob", inChannelNarrow("general"), true)); got != 3 {
		t.Errorf("%d announcements, want 3", got)
	}
	if got := texts(s, "alice", inChannelNarrow("three")); got != "" {
		t.Errorf("a notice despite the setting: %s", got)
	}
}

func TestNoticeOfSubscription(t *testing.T) {
	s := startWithNotices(t)
	subscribe := func(params ...string) *kittest.Response {
		t.Helper()
		return s.As("olga").Do("POST /users/me/subscriptions", params...).OK()
	}
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"den"}]`, "invite_only", "true").OK()
	s.Skip()
	answer := subscribe("subscriptions", `[{"name":"den"},{"name":"secret"},{"name":"brand new"}]`, "principals",
		ids(s, "bob", "olga", "bot", "mona"))
	if !answer.Get("new_subscription_messages_sent").(bool) {
		t.Errorf("new_subscription_messages_sent is not set: %s", answer.Body)
	}
	if got := kinds(s.Log()); !strings.HasSuffix(got, "subscription/peer_add message message message") ||
		strings.Count(got, "message") != 3 {
		t.Errorf("events: %s", got)
	}
	direct := `[["is","dm"]]`
	want := fmt.Sprintf(": @_**Olga|%d** subscribed you to these channels:\n\n* #**secret**\n* #**den**", s.UserID("olga"))
	for _, who := range []string{"bob", "mona"} {
		if got := texts(s, who, direct); got != want {
			t.Errorf("%s received %q, want %q", who, got, want)
		}
		m := newestOf(s, who, direct, true)[0]
		if len(m.Flags) != 0 || !strings.Contains(m.Content, ">#den</a>") || m.Sender != "notification-bot@stoa.invalid" {
			t.Errorf("%s has %+v", who, m)
		}
	}
	for _, who := range []string{"olga", "bot", "alice", "adam"} {
		if got := texts(s, who, direct); got != "" {
			t.Errorf("%s received %q", who, got)
		}
	}
	// A second notice goes to the same conversation. Silent requests and unchanged subscriptions notify no one.
	subscribe("subscriptions", `[{"name":"general"}]`, "principals", ids(s, "bob", "mona"))
	if got := newestOf(s, "mona", direct, false); len(got) != 2 ||
		!strings.HasSuffix(got[1].Content, "subscribed you to the channel #**general**.") {
		t.Errorf("mona has %+v", got)
	}
	if got := newestOf(s, "bob", direct, false); len(got) != 1 {
		t.Errorf("bob, who was subscribed already, has %+v", got)
	}
	s.As("olga").Do("PATCH /realm", "send_channel_events_messages", "false").OK()
	quiet := subscribe("subscriptions", `[{"name":"general"}]`, "principals", ids(s, "adam"),
		"send_new_subscription_messages", "false")
	if quiet.Has("new_subscription_messages_sent") || texts(s, "adam", direct) != "" {
		t.Errorf("adam received %s", quiet.Body)
	}
	s.As("adam").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	s.As("adam").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	if got := texts(s, "adam", direct); got != "" {
		t.Errorf("adam was notified of his own action: %q", got)
	}
	s.As("adam").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	subscribe("subscriptions", `[{"name":"general"}]`, "principals", ids(s, "adam"))
	if got := texts(s, "adam", direct); got == "" {
		t.Error("users are notified of changes to themselves even if notices in channels are disabled")
	}
	if recent := section(s, "mona", "recent_private_conversations",
		`["recent_private_conversations"]`); strings.Count(recent, "user_ids") != 1 {
		t.Errorf("mona's conversations: %s", recent)
	}
}

func TestNoticesOfChanges(t *testing.T) {
	s := startWithNotices(t)
	room := fmt.Sprintf("/streams/%d", s.ChannelID("general"))
	s.As("alice").Do("POST /users/me/muted_users/" + fmt.Sprint(s.UserID("olga"))).OK()
	olga, alice := fmt.Sprintf("@_**Olga|%d**", s.UserID("olga")), s.UserID("alice")
	narrow := fmt.Sprintf(`[{"operator":"channel","operand":%d}]`, s.ChannelID("general"))
	seen := 0
	for _, c := range []struct {
		params []string
		want   []string
	}{
		{[]string{"new_name", "_forum_ @**all**"},
			[]string{"renamed this channel from **general** to **&#95;forum&#95; &#64;&#42;&#42;all&#42;&#42;**."}},
		{[]string{"description", "For *all*"},
			[]string{"changed the description of this channel. Before:\n\n*No description.*\n\nNow:\n\n> For *all*"}},
		{[]string{"description", ""}, []string{"changed the description of this channel. Before:\n\n> For " +
			"*all*\n\nNow:\n\n*No description.*"}},
		{[]string{"is_private", "true"}, []string{"changed who can see this channel from **Public** to **Private, " +
			"protected history**."}},
		{[]string{"is_private", "false"}, []string{"changed who can see this channel from **Private, protected history** " +
			"to **Public**."}},
		{[]string{"can_send_message_group", fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[6]}}`, alice)},
			[]string{fmt.Sprintf("changed who can post in this channel. Before: @_*role:everyone*. Now: @_*role:members*, "+
				"@_**Alice|%d**.", alice)}},
		{[]string{"message_retention_days", "7"},
			[]string{"changed how long messages are kept in this channel from **as in the whole organization** to **7 days**."}},
		{[]string{"message_retention_days", "unlimited"},
			[]string{"changed how long messages are kept in this channel from **7 days** to **forever**."}},
		{[]string{"topics_policy", "disable_empty_topic"}, []string{"changed which topics this channel can have from **as " +
			"in the whole organization** to **any topic, but not general chat**."}},
		{[]string{"new_name", "forum", "description", "x"}, []string{
			"renamed this channel from **&#95;forum&#95; &#64;&#42;&#42;all&#42;&#42;** to **forum**.",
			"changed the description of this channel. Before:\n\n*No description.*\n\nNow:\n\n> x"}},
		{[]string{"is_default_stream", "true"}, nil},
		{[]string{"can_remove_subscribers_group", `{"new":2}`}, nil},
		{[]string{"topics_policy", "disable_empty_topic"}, nil},
	} {
		s.As("olga").Do("PATCH "+room, c.params...).OK()
		got := newestOf(s, "alice", narrow, false)[seen:]
		seen += len(got)
		if len(got) != len(c.want) {
			t.Errorf("%v: %+v", c.params, got)
			continue
		}
		for i, m := range got {
			if m.Content != olga+" "+c.want[i] || m.Subject != "channel events" {
				t.Errorf("%v: %s: %q, want %q", c.params, m.Subject, m.Content, c.want[i])
			}
			if len(m.Flags) != 0 {
				t.Errorf("%v: alice has the flags %v", c.params, m.Flags)
			}
		}
	}
	first := newestOf(s, "olga", narrow, true)[0]
	if !strings.Contains(html.UnescapeString(first.Content), "<strong>_forum_ @**all**</strong>") ||
		fmt.Sprint(first.Flags) != "[read]" {
		t.Errorf("renamed: %+v", first)
	}
	s.Skip()
	s.As("olga").Do("DELETE " + room).OK()
	if got := kinds(s.Log()); got != "stream/update stream/delete default_streams message" {
		t.Errorf("events of archiving: %s", got)
	}
	s.As("olga").Do("PATCH "+room, "is_archived", "false").OK()
	got := newestOf(s, "alice", narrow, false)[seen:]
	if len(got) != 2 || got[0].Content != olga+" archived this channel." ||
		got[1].Content != olga+" took this channel out of the archive." {
		t.Errorf("archived and unarchived: %+v", got)
	}
	seen += 2
	s.As("olga").Do("PATCH /realm", "send_channel_events_messages", "false").OK()
	s.As("olga").Do("PATCH "+room, "new_name", "agora").OK()
	if got := newestOf(s, "alice", narrow, false)[seen:]; len(got) != 0 {
		t.Errorf("a notice despite the setting: %+v", got)
	}
}

// TestNoticesLinkToNothingHidden checks that a description quoted in a notice links only to what its author can see.
func TestNoticesLinkToNothingHidden(t *testing.T) {
	s := startWithNotices(t)
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions",
		`[{"name":"trap","description":"#**secret** and #**nothing**"}]`).OK()
	if got := newestOf(s, "bob", inChannelNarrow("trap"), true)[0].Content; strings.Contains(got, "/#narrow") {
		t.Errorf("a description reveals a channel: %s", got)
	}
}
