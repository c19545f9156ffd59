// Package webhook builds the requests of outgoing webhook bots and interprets the replies.
package webhook

import (
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// Call is one request to a service, always a POST.
type Call struct {
	URL         string
	ContentType string
	Body        []byte
}

// Reply is a service's reply.
type Reply struct {
	Status int
	Body   []byte
}

// Triggers of calls.
const (
	Mention = "mention"
	Direct  = "direct_message"
)

// Trigger returns why a message triggers a call.
func Trigger(m *message.Message) string {
	if _, isChannel := m.Recipient.Channel(); isChannel {
		return Mention
	}
	return Direct
}

// Invocation is a message addressed to an outgoing webhook bot.
type Invocation struct {
	View    *directory.View
	Bot     *user.User
	Service bot.Service // its token has been decrypted
	Message message.Visible
	Object  json.RawMessage // the message in wire form
}

// generic is the body of the generic interface.
type generic struct {
	BotEmail string          `json:"bot_email"`
	BotName  string          `json:"bot_full_name"`
	Data     string          `json:"data"`
	Message  json.RawMessage `json:"message"`
	Token    string          `json:"token"`
	Trigger  string          `json:"trigger"`
}

// Call builds the request. It returns false for direct messages if the interface is Slack's, which does not have them.
func (s Invocation) Call() (Call, bool, error) {
	if s.Service.Interface == bot.SlackInterface {
		form, ok := s.slack()
		return Call{s.Service.URL, "application/x-www-form-urlencoded", []byte(form.Encode())}, ok, nil
	}
	body, err := json.Marshal(generic{
		BotEmail: permission.APIEmail(s.View, s.Bot),
		BotName:  s.Bot.FullName,
		Data:     s.Message.Content,
		Message:  s.Object,
		Token:    s.Service.Token,
		Trigger:  Trigger(&s.Message.Message),
	})
	return Call{s.Service.URL, "application/json", body}, true, err
}

// slack returns the form fields of Slack's outgoing webhooks.
func (s Invocation) slack() (url.Values, bool) {
	c := message.ChannelOf(s.View, s.Message.Recipient)
	if c == nil {
		return nil, false
	}
	name := ""
	if u := permission.UserOrStranger(s.View, s.Bot, s.Message.Sender); u != nil {
		name = u.FullName
	}
	at := strconv.FormatInt(s.Message.SentAt.Unix(), 10)
	id := func(letter string, n int64) string { return letter + strconv.FormatInt(n, 10) }
	return url.Values{
		"token":   {s.Service.Token},
		"team_id": {id("T", int64(s.View.Realm().ID))}, "team_domain": {s.View.Realm().MailDomain},
		"channel_id": {id("C", int64(c.ID))}, "channel_name": {c.Name},
		"thread_ts": {at}, "timestamp": {at},
		"user_id": {id("U", int64(s.Message.Sender))}, "user_name": {name},
		"text": {s.Message.Content}, "trigger_word": {Trigger(&s.Message.Message)}, "service_id": {id("", int64(s.Bot.ID))},
	}, true
}
