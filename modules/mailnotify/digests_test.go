package mailnotify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mailnotify"
	"github.com/stoachat/stoa/modules/presence"
)

// startWeekly starts a server whose organization sends digests on Tuesdays. The time is Monday, 8 June 2026, 12:00.
func startWeekly(t *testing.T, database string) *testServer {
	t.Helper()
	return startWeeklyWith(t, database, presence.Module)
}

// startWeeklyWith is startWeekly with a module that answers user.RecentlyActive, in place of presence.
func startWeeklyWith(t *testing.T, database string, recent kit.Module) *testServer {
	t.Helper()
	f := &mailtest.Fake{}
	w := &testServer{
		kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: "http: {url: https://chat.example.com}"},
			append(modules(f.Module()), mailnotify.Module, recent)...),
		f,
	}
	w.As("olga").Do("PATCH /realm", "digest_emails_enabled", "true").OK()
	w.Clock.Advance(7 * 24 * time.Hour)
	return w
}

// digests runs the job on a day in June and returns the mails by address.
func (w *testServer) digests(day, hour int) map[string]mail.Message {
	w.T.Helper()
	w.Clock.Advance(time.Date(2026, time.June, day, hour, 0, 0, 0, time.UTC).Sub(w.Clock.Now()))
	w.RunJob("mailnotify.digests")
	w.RunJob("mail.send_mails")
	all := map[string]mail.Message{}
	for _, m := range w.mails.Received() {
		if _, twice := all[m.To]; twice {
			w.T.Errorf("two mails to %s", m.To)
		}
		all[m.To] = m
	}
	return all
}

func receivers(all map[string]mail.Message) (names []string) {
	for address := range all {
		names = append(names, strings.TrimSuffix(address, "@example.com"))
	}
	slices.Sort(names)
	return names
}

// TestDigests checks that users who were away get a digest of missed discussions that they can read, on the configured
// day of the week.
func TestDigests(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := startWeekly(t, database)
		general := fmt.Sprint(w.ChannelID("general"))
		for _, who := range []string{"alice", "olga", "adam"} {
			w.post(who, "lively", "soup, says "+who)
		}
		w.post("alice", "quiet", "> a quote\n\nhello **there** <time:2026-06-09T12:30:00+02:00>\n"+
			"```spoiler\nswordfish\n```")
		w.post("alice", "muted", "never mind")
		read := w.post("alice", "read", "seen already")
		w.As("bot").Do("POST /messages", "type", "channel", "to", "general", "topic", "by a bot", "content", "beep").OK()
		w.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"brand new"}]`).OK()
		w.As("alice").Do("POST /messages", "type", "channel", "to", "secret", "topic", "plan", "content", "swordfish").OK()
		w.As("bob").Do("POST /user_topics", "stream_id", general, "topic", "muted", "visibility_policy", "1").OK()
		w.As("bob").Do("POST /messages/flags", "op", "add", "flag", "read", "messages", fmt.Sprintf("[%d]", read)).OK()
		w.As("mona").Do("POST /users/me/presence", "status", "active").OK()

		if got := w.digests(8, 13); len(got) != 0 {
			t.Errorf("on Monday: %v", receivers(got))
		}
		if got := w.digests(9, 7); len(got) != 0 {
			t.Errorf("too early: %v", receivers(got))
		}
		all := w.digests(9, 9)
		for _, who := range []string{"alice", "olga", "adam", "mona", "bot"} {
			if _, got := all[who+"@example.com"]; got {
				t.Errorf("%s was active, and got a digest", who)
			}
		}
		m := all["bob@example.com"]
		if m.Subject != "What you missed in Stoics" || !strings.Contains(m.Unsubscribe, "/accounts/unsubscribe/digest/") {
			t.Fatalf("the digest is %+v; users with one: %v", m, receivers(all))
		}
		for _, part := range []string{
			"#general > lively (3 messages by 3 people)\n", "\n    soup, says alice\n",
			"#general > quiet (1 message by 1 person)\n",
			"\n    […]\n\n    hello there 9 June 2026, 10:30 UTC\n", "New channels: #brand new\n",
			"https://chat.example.com/#narrow/channel/",
		} {
			if !strings.Contains(m.Text, part) {
				t.Errorf("no %q in\n%s", part, m.Text)
			}
		}
		if strings.Index(m.Text, "quiet") < strings.Index(m.Text, "lively") ||
			!strings.Contains(m.HTML, "hello <strong>there</strong> 9 June") {
			t.Errorf("the digest is\n%s\n%s", m.Text, m.HTML)
		}
		for _, part := range []string{"swordfish", "secret", "never mind", "seen already", "beep"} {
			if strings.Contains(m.Text+m.HTML, part) {
				t.Errorf("the digest contains %q:\n%s", part, m.Text)
			}
		}
		if got := w.digests(9, 10); len(got) != 0 {
			t.Errorf("again on the same day: %v", receivers(got))
		}
		if got := w.digests(16, 9); len(got) != 0 {
			t.Errorf("nothing was written in the following week: %v", receivers(got))
		}
	})
}

// TestDigestSettings checks that digests are sent only if the organization and the user enable them, and that they
// contain names and texts only if both allow it.
func TestDigestSettings(t *testing.T) {
	w := startWeekly(t, kittest.Memory)
	day := 9
	bobs := func() (m mail.Message, got bool) {
		t.Helper()
		w.post("alice", "lunch", "swordfish")
		m, got = w.digests(day, 9)["bob@example.com"]
		day += 7
		w.Clock.Advance(6 * 24 * time.Hour)
		return m, got
	}
	for _, c := range []struct{ who, route, key string }{
		{"bob", "PATCH /settings", "message_content_in_email_notifications"},
		{"olga", "PATCH /realm", "message_content_allowed_in_email_notifications"},
	} {
		w.As(c.who).Do(c.route, c.key, "false").OK()
		m, got := bobs()
		if !got || !strings.Contains(m.Text, "You have unread messages in 1 conversation in Stoics") {
			t.Errorf("%s: %v %s", c.key, got, m.Text)
		}
		for _, leak := range []string{"swordfish", "lunch", "general", "Alice"} {
			if strings.Contains(m.Subject+m.Text+m.HTML, leak) {
				t.Errorf("%s: the digest contains %q:\n%s", c.key, leak, m.Text)
			}
		}
		w.As(c.who).Do(c.route, c.key, "true").OK()
	}
	for _, c := range []struct{ who, route, key string }{
		{"bob", "PATCH /settings", "enable_digest_emails"},
		{"olga", "PATCH /realm", "digest_emails_enabled"},
	} {
		w.As(c.who).Do(c.route, c.key, "false").OK()
		if _, got := bobs(); got {
			t.Errorf("a digest although %s is off", c.key)
		}
		w.As(c.who).Do(c.route, c.key, "true").OK()
	}
	m, got := bobs()
	if !got {
		t.Fatal("no digest")
	}
	if status, _, _ := w.Page("POST", strings.TrimPrefix(m.Unsubscribe, "https://chat.example.com"), nil); status != 200 {
		t.Errorf("unsubscribe: status %d", status)
	}
	if _, got := bobs(); got {
		t.Error("a digest after the user has unsubscribed")
	}

	// Users with a connected client are not away, whether or not it reports presence.
	w.As("bob").Do("PATCH /settings", "enable_digest_emails", "true", "presence_enabled", "false").OK()
	w.post("alice", "lunch", "x")
	w.Clock.Advance(time.Date(2026, time.June, day, 8, 59, 0, 0, time.UTC).Sub(w.Clock.Now()))
	w.As("bob").Register("event_types", `["message"]`)
	if _, got := w.digests(day, 9)["bob@example.com"]; got {
		t.Error("a digest to a connected user")
	}
}

// TestDigestsOnce checks that every user gets exactly one digest if several nodes send them concurrently, or if a node
// restarts after a failure.
func TestDigestsOnce(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		var meanwhile func() error
		asked := func(context.Context, user.RecentlyActive) (user.Set, error) {
			do := meanwhile
			if meanwhile = nil; do == nil {
				return nil, nil
			}
			return nil, do()
		}
		w := startWeeklyWith(
			t,
			database,
			kit.Define("meanwhile", "Interferes, for a test.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
				return kit.Parts{Answers: []kit.Answer{kit.Answers(asked)}}, nil
			}),
		)
		w.post("alice", "lunch", "x")
		w.Clock.Advance(21 * time.Hour)
		run := func() error { return w.App.RunJob(t.Context(), "mailnotify.digests") }
		meanwhile = func() error { return errors.New("interrupted") }
		if err := run(); err == nil {
			t.Error("the job was not interrupted")
		}
		meanwhile = run
		if err := run(); err != nil {
			t.Error(err)
		}
		if got := receivers(w.digests(9, 10)); !slices.Contains(got, "bob") || slices.Contains(got, "alice") {
			t.Errorf("digests for %v", got)
		}
	})
}
