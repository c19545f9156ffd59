package webhook

import (
	"encoding/json"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// spoken is what ann says to out in a channel, or directly.
func spoken(form bot.Interface, direct bool) Spoken {
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1, MailDomain: "x.org", Settings: realm.Defaults()})
	b.Channel(&channel.Channel{ID: 10, Name: "open & all"})
	out := &user.User{ID: 3, FullName: "Out", DeliveryEmail: "out-bot@x.org", Role: user.Member, Active: true, BotType: user.OutgoingWebhook, BotOwner: 2}
	b.User(&user.User{ID: 2, FullName: "Ann", DeliveryEmail: "ann@x.org", Role: user.Member, Active: true})
	b.User(out)
	m := message.Message{ID: 7, Recipient: message.OfChannel(10), Sender: 2, Content: "hello & @**Out**", SentAt: time.Unix(1000, 0)}
	if direct {
		m.Recipient = message.OfDirect(1)
	}
	return Spoken{
		View: b.View(1), Bot: out, Service: bot.Service{URL: "https://s.org/hook", Interface: form, Token: "t0"},
		Message: message.Visible{Message: m}, Object: json.RawMessage(`{"id":7}`),
	}
}

func TestCall(t *testing.T) {
	for direct, trigger := range map[bool]string{false: "mention", true: "direct_message"} {
		c, ok, err := spoken(bot.GenericInterface, direct).Call()
		want := `{"bot_email":"out-bot@x.org","bot_full_name":"Out","data":"hello \u0026 @**Out**","message":{"id":7},"token":"t0","trigger":"` + trigger + `"}`
		if err != nil || !ok || string(c.Body) != want || c.ContentType != "application/json" || c.URL != "https://s.org/hook" {
			t.Errorf("%s: %s %s, %v, %v", trigger, c.ContentType, c.Body, ok, err)
		}
	}
	c, ok, err := spoken(bot.SlackInterface, false).Call()
	got, _ := url.ParseQuery(string(c.Body))
	want := url.Values{
		"token": {"t0"}, "team_id": {"T1"}, "team_domain": {"x.org"}, "channel_id": {"C10"}, "channel_name": {"open & all"}, "thread_ts": {"1000"},
		"timestamp": {"1000"}, "user_id": {"U2"}, "user_name": {"Ann"}, "text": {"hello & @**Out**"}, "trigger_word": {"mention"}, "service_id": {"3"},
	}
	if err != nil || !ok || got.Encode() != want.Encode() || c.ContentType != "application/x-www-form-urlencoded" {
		t.Errorf("Slack: %s %v, %v, %v", c.ContentType, got, ok, err)
	}
	if _, ok, _ := spoken(bot.SlackInterface, true).Call(); ok {
		t.Error("Slack has direct messages")
	}
}

func TestSay(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		form   bot.Interface
		want   string
		fails  bool
		again  bool
	}{
		{200, `{"content":"hi"}`, 1, "hi", false, false},
		{201, `{"content":"hi","text":"ho"}`, 1, "hi", false, false},
		{200, `{"content":"hi","text":"ho"}`, 2, "ho", false, false},
		{200, `{"content":"hi"}`, 2, "", false, false},
		{200, `{"content":" \n"}`, 1, "", false, false},
		{200, `{"response_not_required":true}`, 1, "", false, false},
		{200, `{"response_not_required":true,"content":"hi"}`, 1, "", false, false},
		{200, `{"response_not_required":false,"content":"hi"}`, 1, "hi", false, false},
		{200, `{"content":null}`, 1, "", false, false},
		{200, `{}`, 1, "", false, false},
		{200, " ", 1, "", false, false},
		{204, "", 1, "", false, false},
		{200, `{"content":7}`, 1, "", true, false},
		{200, `[]`, 1, "", true, false},
		{200, `"hi"`, 1, "", true, false},
		{200, `<html>`, 1, "", true, false},
		{200, `{"content":"hi"`, 1, "", true, false},
		{301, "", 1, "", true, false},
		{404, `{"content":"hi"}`, 1, "", true, false},
		{408, "", 1, "", true, true},
		{429, "", 1, "", true, true},
		{500, `{"content":"hi"}`, 1, "", true, true},
		{503, "", 2, "", true, true},
	} {
		got, err := Reply{c.status, []byte(c.body)}.Say(c.form)
		var f FailureError
		if got != c.want || (err != nil) != c.fails || err != nil && (!errors.As(err, &f) || f.Again != c.again) {
			t.Errorf("%d %s: %q, %v", c.status, c.body, got, err)
		}
	}
}
