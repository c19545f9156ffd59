package webhook

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// spoken returns a message from ann to out, in a channel or direct.
func spoken(form bot.Interface, direct bool) Invocation {
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1, MailDomain: "x.org", Settings: realm.Defaults()})
	b.Channel(&channel.Channel{ID: 10, Name: "open & all"})
	out := &user.User{ID: 3, FullName: "Out", DeliveryEmail: "out-bot@x.org", Role: user.Member, Active: true,
		BotType: user.OutgoingWebhook, BotOwner: 2}
	b.User(&user.User{ID: 2, FullName: "Ann", DeliveryEmail: "ann@x.org", Role: user.Member, Active: true})
	b.User(out)
	m := message.Message{ID: 7, Recipient: message.OfChannel(10), Sender: 2, Content: "hello & @**Out**",
		SentAt: time.Unix(1000, 0)}
	if direct {
		m.Recipient = message.OfDirect(1)
	}
	return Invocation{
		View: b.View(1), Bot: out, Service: bot.Service{URL: "https://s.org/hook", Interface: form, Token: "t0"},
		Message: message.Visible{Message: m}, Object: json.RawMessage(`{"id":7}`),
	}
}

func TestCall(t *testing.T) {
	for direct, trigger := range map[bool]string{false: "mention", true: "direct_message"} {
		c, ok, err := spoken(bot.GenericInterface, direct).Call()
		want := `{"bot_email":"out-bot@x.org","bot_full_name":"Out","data":"hello \u0026 @**Out**","message":{"id":7},` +
			`"token":"t0","trigger":"` + trigger + `"}`
		if err != nil || !ok || string(c.Body) != want || c.ContentType != "application/json" ||
			c.URL != "https://s.org/hook" {
			t.Errorf("%s: %s %s, %v, %v", trigger, c.ContentType, c.Body, ok, err)
		}
	}
	c, ok, err := spoken(bot.SlackInterface, false).Call()
	got, _ := url.ParseQuery(string(c.Body))
	want := url.Values{
		"token": {"t0"}, "team_id": {"T1"}, "team_domain": {"x.org"}, "channel_id": {"C10"}, "channel_name": {"open & all"},
		"thread_ts": {"1000"},
		"timestamp": {"1000"}, "user_id": {"U2"}, "user_name": {"Ann"}, "text": {"hello & @**Out**"},
		"trigger_word": {"mention"}, "service_id": {"3"},
	}
	if err != nil || !ok || got.Encode() != want.Encode() || c.ContentType != "application/x-www-form-urlencoded" {
		t.Errorf("Slack: %s %v, %v, %v", c.ContentType, got, ok, err)
	}
	if _, ok, _ := spoken(bot.SlackInterface, true).Call(); ok {
		t.Error("Slack payloads support direct messages")
	}
}

func TestAnswer(t *testing.T) {
	const no, status, syntax, shape = "", "The service answered with status", "The service's answer is not valid JSON.",
		"The service's answer is not a JSON object."
	for _, c := range []struct {
		status int
		body   string
		form   bot.Interface
		want   Answer
		why    string // prefix of the error
	}{
		{200, `{"content":"hi"}`, 1, Answer{Content: "hi"}, no},
		{201, `{"content":"hi","text":"ho","response_string":"hu"}`, 1, Answer{Content: "hi"}, no},
		{200, `{"response_string":"hu"}`, 1, Answer{Content: "hu"}, no},
		{200, `{"content":"hi","text":"ho"}`, 2, Answer{Content: "ho"}, no},
		{200, `{"content":"hi","response_string":"hu"}`, 2, Answer{}, no},
		{200, `{"content":" \n","widget_content":"{}"}`, 1, Answer{}, no},
		{200, `{"widget_content":"{}"}`, 1, Answer{}, no},
		{200, `{"content":"hi","widget_content":"{\"a\":1}"}`, 1, Answer{"hi", `{"a":1}`}, no},
		{200, `{"content":"hi","widget_content":{"a":1}}`, 1, Answer{"hi", `{"a":1}`}, no},
		{200, `{"content":"hi","widget_content":null}`, 1, Answer{Content: "hi"}, no},
		{200, `{"content":"hi","widget_content":""}`, 1, Answer{Content: "hi"}, no},
		{200, `{"response_not_required":true}`, 1, Answer{}, no},
		{200, `{"response_not_required":true,"content":"hi"}`, 1, Answer{}, no},
		{200, `{"response_not_required":false,"content":"hi"}`, 1, Answer{Content: "hi"}, no},
		{200, `{"content":null}`, 1, Answer{}, no},
		{200, `{"content":7}`, 1, Answer{}, no},
		{200, `{}`, 1, Answer{}, no},
		{200, `""`, 1, Answer{}, no},
		{200, ` ""`, 2, Answer{}, no},
		{200, " ", 1, Answer{}, no},
		{204, "", 1, Answer{}, no},
		{200, `[]`, 1, Answer{}, shape},
		{200, `null`, 1, Answer{}, shape},
		{200, `"hi"`, 1, Answer{}, shape},
		{200, `<html>`, 1, Answer{}, syntax},
		{200, `{"content":"hi"`, 1, Answer{}, syntax},
		{301, "", 1, Answer{}, status + " 301."},
		{404, `{"content":"hi"}`, 1, Answer{}, status + " 404."},
		{429, "slow down", 1, Answer{}, status + " 429."},
		{500, `{"content":"hi"}`, 1, Answer{}, status + " 500."},
		{503, "", 2, Answer{}, status + " 503."},
	} {
		got, err := Reply{c.status, []byte(c.body)}.Answer(c.form)
		var f FailureError
		failed := errors.As(err, &f)
		if got != c.want || failed != (err != nil) || f.Why != c.why || f.Retry || failed && f.Detail != c.body {
			t.Errorf("%d %s: %+v, %+v", c.status, c.body, got, err)
		}
	}
}

// The detail of a failure is truncated and cannot end its code block.
func TestNotice(t *testing.T) {
	const text = "Your bot @_**Out|3** could not answer [a message](/#narrow/channel/10-open-.26-all/topic/t/near/7). No."
	s := spoken(bot.GenericInterface, false)
	s.Message.Topic = "t"
	for detail, want := range map[string]string{
		"":                           text,
		" \x00\n":                    text + "\n\n```text\n\uFFFD\n```", //nolint:gocritic // the space is the case
		"a\r\n```\n@**all**\x1b\xff": text + "\n\n````text\na\n```\n@**all**\uFFFD\uFFFD\n````",
		strings.Repeat("é", 2001):    text + "\n\n```text\n" + strings.Repeat("é", 1996) + " […]\n```",
	} {
		if got := (FailureError{Why: "No.", Detail: detail}).Notice(s.View, s.Bot, &s.Message); got != want {
			t.Errorf("%q: %s", detail, got)
		}
	}
}
