package oracle_test

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/adapters/push/relay/pushtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// noticed is a server on which bob has a phone and an email address.
type noticed struct {
	*kittest.Server
	phone *pushtest.Fake // replaces a push relay
	mails *mailtest.Fake
}

func newNoticed(t *testing.T) *noticed {
	testrun.Unraced(t, "its requests are sequential")
	w := &noticed{phone: &pushtest.Fake{}, mails: &mailtest.Fake{}}
	modules := slices.DeleteFunc(
		standard.Modules(),
		func(m kit.Module) bool { return m.Slot == "mail" || m.Slot == "push" },
	)
	modules = append(modules, w.mails.Module(), w.phone.Module())
	w.Server = kittest.StartWith(
		t,
		kittest.Options{Config: "http: {url: https://chat.example.com, rate_limits: {enabled: false}}"},
		modules...)
	bob := w.As("bob")
	device := fmt.Sprint(bob.Do("POST /register_client_device").OK().Int("device_id"))
	bob.Do(
		"POST /mobile_push/register",
		"device_id",
		device,
		"push_key_id",
		"1",
		"push_key",
		"MWtra2tra2tra2tra2tra2tra2tra2tra2tra2tra2tr",
		"token_kind",
		"fcm",
		"token_id",
		push.TokenID("t"),
		"bouncer_public_key",
		"Ym91bmNlcg==",
		"encrypted_push_registration",
		"c2VhbGVk",
	).OK()
	w.RunJob("push.forward")
	w.set("automatically_follow_topics_policy", "4")
	w.set("automatically_follow_topics_where_mentioned", "false")
	return w
}

// set changes one of bob's settings.
func (w *noticed) set(name, value string) {
	w.T.Helper()
	w.As("bob").Do("PATCH /settings", name, value).OK()
}

// change changes a row's setting, and returns what bob's clients receive about that.
func (w *noticed) change(r noticeRow, topic, value string) string {
	w.T.Helper()
	general := fmt.Sprint(w.ChannelID("general"))
	client := w.As(
		"bob",
	).Register(
		"event_types",
		`["user_settings","subscription","realm","user_topic"]`,
		"fetch_event_types",
		"[]",
	)
	defer client.Close()
	switch r.of {
	case "channel":
		w.As("bob").Do("POST /users/me/subscriptions/properties", "subscription_data",
			fmt.Sprintf(`[{"stream_id":%s,"property":%q,"value":%s}]`, general, r.setting, value)).OK()
	case "topic":
		w.As("bob").Do("POST /user_topics", "stream_id", general, "topic", topic, r.setting, value).OK()
	case "organization":
		w.As("olga").Do("PATCH /realm", r.setting, value).OK()
	default:
		w.set(r.setting, value)
	}
	return client.Take().Body
}

// does performs a row's action.
func (w *noticed) does(what, topic string) {
	w.T.Helper()
	post := func(who, text string) {
		w.As(who).Do("POST /messages", "type", "channel", "to", "general", "topic", topic, "content", text).OK()
	}
	switch what {
	case "direct message":
		w.As(
			"alice",
		).Do(
			"POST /messages",
			"type",
			"direct",
			"to",
			fmt.Sprintf("[%d]", w.UserID("bob")),
			"content",
			"fish",
		).OK()
	case "message":
		post("alice", "fish")
	case "mention":
		post("alice", "@**Bob** fish")
	case "wildcard":
		post("olga", "@**all** fish")
	case "message after bob's":
		post("bob", "hello")
		post("alice", "fish")
	case "message after a mention":
		post("alice", "@**Bob** hello")
		w.outcome()
		post("alice", "fish")
	case "login":
		status, _, body := w.Page("POST", "/api/v1/fetch_api_key", url.Values{
			"username": {"bob@example.com"}, "password": {kittest.Password},
		}, "User-Agent", "new"+strings.ReplaceAll(topic, " ", ""))
		if status != 200 {
			w.T.Errorf("login: %d %s", status, body)
		}
	case "week":
		now := w.Clock.Now().UTC()
		monday := now.Truncate(24*time.Hour).AddDate(0, 0, 7+(1-int(now.Weekday())+7)%7).Add(9 * time.Hour)
		w.Clock.Advance(monday.Sub(now))
		post("alice", "fish")
		w.outcome()
		w.Clock.Advance(24 * time.Hour)
		w.RunJob("mailnotify.digests")
	default:
		w.T.Fatalf("%q is not known", what)
	}
}

// outcome returns the notifications that bob gets within three minutes.
func (w *noticed) outcome() string {
	w.T.Helper()
	w.RunJob("notifications.judge notifications")
	w.RunJob("push.push notifications")
	w.Clock.Advance(3 * time.Minute)
	w.RunJob("mailnotify.missed messages")
	w.RunJob("mail.send_mails")
	var all []string
	_, sent := w.phone.Take()
	shown := len(slices.DeleteFunc(sent, func(n push.ServiceNotification) bool { return n.Quiet }))
	if shown > 0 {
		all = append(all, fmt.Sprintf("%d push", shown))
	}
	for _, m := range w.mails.Received() {
		kind := "email"
		switch {
		case m.To != "bob@example.com":
			continue
		case strings.Contains(m.Unsubscribe, "/login/"):
			kind = "login email"
		case strings.Contains(m.Unsubscribe, "/digest/"):
			kind = "digest"
		}
		if kind != "login email" && !strings.Contains(m.Text, "fish") && !strings.Contains(m.Text, "hello") {
			kind += " without text"
		}
		if strings.Contains(m.Subject, "[Stoics]") {
			kind += " naming the organization"
		}
		all = append(all, kind)
	}
	return strings.Join(all, ", ")
}

// TestNoticeSettings checks that all notification settings of users, channels, topics and the organization have an
// effect: with one value bob gets a notification, with the other he does not. His clients are notified of each change.
// Some settings only affect clients.
func TestNoticeSettings(t *testing.T) {
	harness.SQLiteSuffices(t, "the rules do not use the database")
	w := newNoticed(t)
	for n, r := range noticeRows() {
		for i, value := range []string{r.one, r.other} {
			topic := fmt.Sprintf("topic %d %d", n, i)
			w.given(r.given, topic)
			knownMessage := w.change(r, topic, value)
			if i == 1 && (!strings.Contains(knownMessage, r.setting) || !strings.Contains(knownMessage, value)) {
				t.Errorf("%s %s is %s now, and bob's clients received %s", r.of, r.setting, value, knownMessage)
			}
			if r.what == "" {
				continue
			}
			var online *kittest.Queue
			if r.online {
				online = w.As("bob").Register("event_types", `["message"]`)
				w.As("bob").Do("POST /users/me/presence", "status", "active").OK()
			}
			w.does(r.what, topic)
			if got, want := w.outcome(), []string{r.want, r.instead}[i]; got != want {
				t.Errorf("%s %s, %s, with %s: %q reached bob, want %q", r.of, r.setting, r.what, value, got, want)
			}
			if online != nil {
				online.Close()
			}
			w.Clock.Advance(15 * time.Minute) // so that delayed emails are sent, and no client counts as connected
			w.outcome()
			w.given(r.undo(), topic)
		}
		if r.of != "topic" {
			w.change(r, "", r.usual())
		}
	}
}

// given applies the settings that both values of a row require.
func (w *noticed) given(pairs []string, topic string) {
	w.T.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		switch pairs[i] {
		case "followed":
			w.change(noticeRow{setting: "visibility_policy", of: "topic"}, topic, pairs[i+1])
		case "muted channel":
			w.change(noticeRow{setting: "is_muted", of: "channel"}, topic, pairs[i+1])
		default:
			w.set(pairs[i], pairs[i+1])
		}
	}
}

// TestEveryNoticeSettingHasARow checks that each setting has a row that tests its effect.
func TestEveryNoticeSettingHasARow(t *testing.T) {
	var names []string
	notices := false // notification settings come last
	for f := range reflect.TypeFor[user.Settings]().Fields() {
		notices = notices || f.Name == "EnableStreamDesktopNotifications"
		if name := f.Tag.Get("json"); notices || strings.HasPrefix(name, "automatically_") {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(noticeRows(), func(r noticeRow) bool { return r.setting == name && r.of == "" }) {
			t.Errorf("%s has no row in noticeRows", name)
		}
	}
	if len(names) < 27 {
		t.Errorf("only %d settings are known", len(names))
	}
}
