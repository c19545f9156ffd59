package mailnotify_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	mailmodule "github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/mailnotify"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/notifications"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
)

func modules(mailer kit.Module) []kit.Module {
	return []kit.Module{
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module,
		topics.Module, notifications.Module,
		mailmodule.Module, mailer,
	}
}

func TestModule(t *testing.T) {
	kittest.Check(t, mailnotify.Module, modules(log.Module)...)
}

type testServer struct {
	*kittest.Server
	mails *mailtest.Fake
}

func start(t *testing.T, database string) *testServer {
	t.Helper()
	f := &mailtest.Fake{}
	return &testServer{
		kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: "http: {url: https://chat.example.com}"},
			append(modules(f.Module()), mailnotify.Module)...),
		f,
	}
}

func (w *testServer) direct(from, to, text string) int64 {
	w.T.Helper()
	return w.As(from).
		Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", w.UserID(to)), "content", text).
		OK().
		Int("id")
}

func (w *testServer) post(from, topic, text string) int64 {
	w.T.Helper()
	return w.As(from).
		Do("POST /messages", "type", "channel", "to", "general", "topic", topic, "content", text).
		OK().
		Int("id")
}

// decide runs the job that decides who is notified.
func (w *testServer) decide() { w.RunJob("notifications.judge notifications") }

// sent returns the mails since the last call.
func (w *testServer) sent() []mail.Message {
	w.T.Helper()
	w.decide()
	w.RunJob("mailnotify.missed messages")
	w.RunJob("mail.send_mails")
	return w.mails.Received()
}

// TestMissed checks that messages missed within the batching period are sent in one mail per conversation, without
// those read in the meantime.
func TestMissed(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := start(t, database)
		w.direct("alice", "bob", "hello :smile:\n\nthere")
		w.decide()
		w.Clock.Advance(time.Minute)
		w.direct("alice", "bob", "**again** <b>")
		read := w.post("alice", "lunch", "@**Bob** read meanwhile")
		w.post("alice", "lunch", "@**Bob** soup?")
		w.post("alice", "lunch", "nobody is mentioned, but Bob follows the topic by now")
		w.decide()
		w.As("bob").Do("POST /messages/flags", "op", "add", "flag", "read", "messages", fmt.Sprintf("[%d]", read)).OK()
		if got := w.sent(); len(got) != 0 {
			t.Fatalf("sent too early: %+v", got)
		}
		w.Clock.Advance(time.Minute)
		got := w.sent()
		if len(got) != 2 {
			t.Fatalf("%d mails: %+v", len(got), got)
		}
		direct, channel := got[0], got[1]
		if direct.To != "bob@example.com" || direct.Subject != "Direct messages with Alice" ||
			channel.Subject != "#general > lunch" {
			t.Errorf("%q, %q to %s", direct.Subject, channel.Subject, direct.To)
		}
		for _, want := range []string{
			"Alice, 1 June 2026, 12:00 UTC:\n\n    hello 🙂\n\n    there\n", "\n    again <b>\n",
			"someone sent you a direct message",
			"https://chat.example.com/#narrow/dm/",
			"To unsubscribe: https://chat.example.com/accounts/unsubscribe/missed_messages/",
		} {
			if !strings.Contains(direct.Text, want) {
				t.Errorf("no %q in\n%s", want, direct.Text)
			}
		}
		if !strings.Contains(direct.HTML, ">hello 🙂</p>") || !strings.Contains(direct.HTML, "again</strong> &lt;b&gt;") {
			t.Errorf("the HTML is\n%s", direct.HTML)
		}
		if !strings.Contains(channel.Text, "soup?") || !strings.Contains(channel.Text, "nobody is") ||
			strings.Contains(channel.Text, "read meanwhile") {
			t.Errorf("the channel's mail is\n%s", channel.Text)
		}
		w.Clock.Advance(time.Hour)
		if got := w.sent(); len(got) != 0 {
			t.Errorf("sent again: %+v", got)
		}

		// Messages read while the mail server is down are not sent.
		id := w.direct("alice", "bob", "late")
		w.decide()
		w.Clock.Advance(2 * time.Minute)
		w.RunJob("mailnotify.missed messages")
		w.As("bob").Do("POST /messages/flags", "op", "add", "flag", "read", "messages", fmt.Sprintf("[%d]", id)).OK()
		if got := w.sent(); len(got) != 0 {
			t.Errorf("sent although read: %+v", got)
		}

		// Users with a connected client get no mail.
		w.As("bob").Register("event_types", `["message"]`)
		w.direct("alice", "bob", "connected")
		w.decide()
		w.Clock.Advance(2 * time.Minute)
		if got := w.sent(); len(got) != 0 {
			t.Errorf("sent to a connected user: %+v", got)
		}
	})
}

// TestFlood checks that mentions in many conversations do not flood a user's mailbox, and that none is lost.
func TestFlood(t *testing.T) {
	w := start(t, kittest.Memory)
	for i := range 15 {
		w.post("alice", fmt.Sprintf("topic %d", i), "@**Bob** look")
	}
	w.direct("olga", "adam", "among all that")
	w.decide()
	for _, want := range []int{11, 5, 0} {
		w.Clock.Advance(2 * time.Minute)
		if got := w.sent(); len(got) != want {
			t.Errorf("%d mails, want %d", len(got), want)
		}
		if got := w.sent(); len(got) != 0 {
			t.Errorf("%d more mails immediately", len(got))
		}
	}
}

// TestContent checks that a mail contains no names or content if the organization or the user disallows it.
func TestContent(t *testing.T) {
	w := start(t, kittest.Memory)
	for _, c := range []struct{ who, route, key string }{
		{"bob", "PATCH /settings", "message_content_in_email_notifications"},
		{"olga", "PATCH /realm", "message_content_allowed_in_email_notifications"},
	} {
		w.As(c.who).Do(c.route, c.key, "false").OK()
		w.direct("alice", "bob", "the password is swordfish")
		w.post("alice", "lunch", "@**Bob** swordfish")
		w.decide()
		w.Clock.Advance(2 * time.Minute)
		got := w.sent()
		if len(got) != 2 {
			t.Fatalf("%s: %d mails", c.key, len(got))
		}
		for _, m := range got {
			all := m.Subject + m.Text + m.HTML
			for _, leak := range []string{"swordfish", "Alice", "lunch", "general", "#narrow", "mentioned"} {
				if strings.Contains(all, leak) {
					t.Errorf("%s: the mail contains %q:\n%s", c.key, leak, all)
				}
			}
		}
		w.As(c.who).Do(c.route, c.key, "true").OK()
	}
	w.As("bob").Do("PATCH /settings", "enable_offline_email_notifications", "false").OK()
	w.direct("alice", "bob", "no")
	w.decide()
	w.Clock.Advance(2 * time.Minute)
	if got := w.sent(); len(got) != 0 {
		t.Errorf("sent although disabled: %+v", got)
	}
}

// TestRealmName checks that the subject contains the organization's name according to the user's setting.
func TestRealmName(t *testing.T) {
	w := start(t, kittest.Memory)
	for policy, want := range map[string]string{
		"1": "Direct messages with Alice", "2": "Direct messages with Alice [Stoics]", "3": "Direct messages with Alice",
	} {
		w.As("bob").Do("PATCH /settings", "realm_name_in_email_notifications_policy", policy).OK()
		w.direct("alice", "bob", "x")
		w.decide()
		w.Clock.Advance(2 * time.Minute)
		if got := w.sent(); len(got) != 1 || got[0].Subject != want {
			t.Errorf("policy %s: %+v", policy, got)
		}
	}
}

// TestUnsubscribe checks that the link in a mail unsubscribes with one click and without login, and that altered links
// do not.
func TestUnsubscribe(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := start(t, database)
		link := func() string {
			t.Helper()
			w.direct("alice", "bob", "x")
			w.decide()
			w.Clock.Advance(2 * time.Minute)
			got := w.sent()
			if len(got) != 1 || !strings.Contains(got[0].Text, got[0].Unsubscribe) {
				t.Fatalf("%+v", got)
			}
			return strings.TrimPrefix(got[0].Unsubscribe, "https://chat.example.com")
		}
		setting := func() any {
			return w.As("bob").Do("POST /register", "fetch_event_types", `["user_settings"]`, "event_types", "[]").OK().
				Get("user_settings.enable_offline_email_notifications")
		}
		path := link()
		for _, bad := range []string{
			"/accounts/unsubscribe", "/accounts/unsubscribe/digest/" + path[strings.LastIndex(path, "/")+1:], path + "x",
			regexp.MustCompile(`/[0-9a-z]+-`).ReplaceAllString(path, "/1-"), "/accounts/unsubscribe/missed_messages/" +
				strings.Repeat("a", 5000),
		} {
			if status, _, _ := w.Page("POST", bad, nil); status != http.StatusNotFound {
				t.Errorf("%.80s: status %d", bad, status)
			}
		}
		if setting() != true {
			t.Error("an invalid link changed the setting")
		}
		for _, method := range []string{"GET", "POST"} {
			status, _, body := w.Page(method, path, nil)
			if status != http.StatusOK || !strings.Contains(body, "bob@example.com") || setting() != false {
				t.Errorf("%s: status %d, the setting is %v:\n%s", method, status, setting(), body)
			}
			w.As("bob").Do("PATCH /settings", "enable_offline_email_notifications", "true").OK()
		}
	})
}
