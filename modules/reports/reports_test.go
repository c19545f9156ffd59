package reports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/reports"
)

func TestModule(t *testing.T) {
	kittest.Check(t, reports.Module, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module)
}

func start(t *testing.T) *kittest.Server { return startOn(t, "") }

func startOn(t *testing.T, database string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: database,
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, reports.Module)
}

// moderated starts a server whose reports go to the channel secret, with olga and alice as subscribers.
func moderated(t *testing.T) *kittest.Server { return moderatedOn(t, "") }

func moderatedOn(t *testing.T, database string) *kittest.Server {
	t.Helper()
	s := startOn(t, database)
	s.As("olga").Do("PATCH /realm", "moderation_request_channel_id", fmt.Sprint(s.ChannelID("secret"))).OK()
	return s
}

func report(s *kittest.Server, as string, id int64, params ...string) *kittest.Response {
	s.T.Helper()
	return s.As(as).Do(fmt.Sprintf("POST /messages/%d/report", id), params...)
}

func post(s *kittest.Server, as, topic, content string) int64 {
	s.T.Helper()
	return s.As(as).Do("POST /messages", "type", "stream", "to", "general", "topic", topic, "content",
		content).OK().Int("id")
}

// newest returns the topic and Markdown of the newest message in secret.
func newest(s *kittest.Server) string {
	s.T.Helper()
	a := s.As("olga").Do("GET /messages", "anchor", "newest", "num_before", "1", "narrow", `[["channel","secret"]]`,
		"apply_markdown", "false",
		"allow_empty_topic_name", "true").OK()
	if !a.Has("messages.0") {
		return ""
	}
	return a.String("messages.0.subject") + "|" + a.String("messages.0.content")
}

func TestReport(t *testing.T) {
	s := moderated(t)
	who := func(name, full string) string { return fmt.Sprintf("@_**%s|%d**", full, s.UserID(name)) }
	at := s.Clock.Now().UTC().Format("2006-01-02T15:04:05Z")
	id := post(s, "bob", "lunch", "buy ```this```")
	report(s, "guest", id, "report_type", "spam", "description", " again ").Is(200, `{"result":"success","msg":""}`)
	want := "Bob moderation|" + who("guest", "Gus Guest") + " reported a message sent by " + who("bob", "Bob") +
		" at <time:" + at + ">.\n\n" +
		"```quote\n**Spam**. again\n```\n\n````spoiler Original message at #**general>lunch@" + fmt.Sprint(id) +
		"**\nbuy ```this```\n````"
	if got := newest(s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	direct := s.As("bob").Do("POST /messages", "type", "direct", "to",
		fmt.Sprintf("[%d,%d]", s.UserID("guest"), s.UserID("mona")), "content", "psst").OK().Int("id")
	report(s, "guest", direct, "report_type", "other", "description", "```").OK()
	want = "Bob moderation|" + who("guest", "Gus Guest") + " reported a direct message sent by " + who("bob", "Bob") +
		" to " + who("mona", "Mona") + ", " +
		who("guest", "Gus Guest") + " at <time:" + at +
		">.\n\n````quote\n**Other reason**. ```\n````\n\n```spoiler Original message\npsst\n```"
	if got := newest(s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A description cannot extend its quote, so that the reported message remains a spoiler.
	report(s, "mona", direct, "report_type", "other", "description", "x\n~~~\ny").OK()
	if got := newest(s); !strings.HasSuffix(got, "\n~~~\ny\n~~~\n```\n\n```spoiler Original message\npsst\n```") {
		t.Errorf("got\n%s", got)
	}
	long := post(s, "bob", "lunch", strings.Repeat("é", 10_000))
	report(s, "guest", long, "report_type", "norms").OK()
	if got := newest(s); !strings.HasSuffix(got, "é […]\n```") || strings.Contains(got, "truncated") {
		t.Errorf("a long report ends in %q", got[len(got)-60:])
	}
}

func TestReportRefused(t *testing.T) {
	s := start(t)
	id := post(s, "bob", "lunch", "x")
	report(s, "guest", id, "report_type", "spam").Error(400, "BAD_REQUEST",
		"Message reporting is not enabled in this organization.")
	s.As("olga").Do("PATCH /realm", "moderation_request_channel_id", fmt.Sprint(s.ChannelID("secret"))).OK()
	hidden := s.As("alice").Do("POST /messages", "type", "stream", "to", "secret", "topic", "x", "content",
		"x").OK().Int("id")
	for _, c := range []struct {
		id               int64
		kind, text, want string
	}{
		{id, "rude", "", "Invalid report_type"},
		{id, "other", " \n", "An explanation is required."},
		{id, "spam", strings.Repeat("é", 1001), "description is too long (limit: 1000 characters)"},
		{id, "spam", "a\x00b", "description must not contain null bytes"},
		{hidden, "spam", "", "Invalid message(s)"},
		{1 << 40, "spam", "", "Invalid message(s)"},
	} {
		s.Skip()
		report(s, "guest", c.id, "report_type", c.kind, "description", c.text).Error(400, "BAD_REQUEST", c.want)
		s.NoEvents()
	}
	report(s, "guest", id).Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'report_type' argument")
	report(s, "guest", id, "report_type", "spam", "description", strings.Repeat("é", 1000)).OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", s.ChannelID("secret"))).OK()
	report(s, "guest", id, "report_type", "spam").Error(400, "BAD_REQUEST",
		"Message reporting is not enabled in this organization.")
}

// Mentions quoted in a report send no notifications, and no message content prevents a report.
func TestReportNotifiesNobody(t *testing.T) {
	s := moderated(t)
	crew := s.As("olga").Do("POST /user_groups/create", "name", "crew", "description", "", "members",
		fmt.Sprintf("[%d]", s.UserID("alice")),
		"can_mention_group", fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`,
			s.UserID("bob"))).OK().Int("group_id")
	for _, text := range []string{"@*crew*", "@**all**", "@**topic**", "@**Alice**"} {
		id := post(s, "bob", "lunch", text)
		report(s, "guest", id, "report_type", "other", "description", text).OK()
		if got := newest(s); !strings.Contains(got, "\n"+text+"\n") {
			t.Errorf("group %d, %s: the report is %q", crew, text, got)
		}
		a := s.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "1", "narrow", `[["channel","secret"]]`).OK()
		if got := kittest.JSON(a.Get("messages.0.flags")); got != "[]" {
			t.Errorf("%s: alice's flags of the report are %s", text, got)
		}
	}
}

// Whatever the name of the topic, the message is in a spoiler.
func TestReportOfOddTopics(t *testing.T) {
	s := moderated(t)
	for _, topic := range []string{"a`b", "```", "a**b", "*", "x>y", "$$z$$", "a]b", ""} {
		id := post(s, "bob", topic, "words")
		report(s, "guest", id, "report_type", "spam").OK()
		a := s.As("olga").Do("GET /messages", "anchor", "newest", "num_before", "1", "narrow", `[["channel","secret"]]`).OK()
		got := a.String("messages.0.content")
		header, inside, found := strings.Cut(got, `<div class="spoiler-content" aria-hidden="true">`)
		if !found || !strings.Contains(header, fmt.Sprintf("/near/%d\"", id)) || !strings.Contains(inside, "words") {
			t.Errorf("%s: %s", topic, got)
		}
	}
}
