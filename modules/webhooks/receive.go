package webhooks

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/webhooks/internal/format"
	"github.com/stoachat/stoa/ports"
)

type request struct {
	Integration string    `json:"integration"`
	Key         string    `json:"api_key"` // read by the HTTP server
	Stream      *string   `json:"stream"`
	Topic       *string   `json:"topic"`
	Only        *[]string `json:"only_events"`
	Exclude     *[]string `json:"exclude_events"`
	Secret      string    `json:"webhook_secret" default:"" in:"query"`
	Payload     string    `json:"payload" default:""`
	options
	Body   kit.Body
	Header kit.Headers
}

// options holds the parameters of individual integrations.
type options struct {
	Branches      string `json:"branches" default:""`
	IgnorePrivate bool   `json:"ignore_private_repositories" default:"false"`
	Template      string `json:"template" default:"" in:"query"` // a form may contain data with such names
	TopicTemplate string `json:"topic_template" default:"" in:"query"`
	Name          string `json:"name" default:""`
	Desc          string `json:"desc" default:""`
	Mapping       string `json:"mapping" default:""` // sent by chat importers; ignored
}

func (o options) byName() map[string]string {
	return map[string]string{
		"branches": o.Branches, "ignore_private_repositories": strconv.FormatBool(o.IgnorePrivate), "template": o.Template,
		"topic_template": o.TopicTemplate, "name": o.Name, "desc": o.Desc,
	}
}

// known returns the values of format.Headers.
func known(header kit.Headers) map[string]string {
	all := map[string]string{}
	for _, name := range format.Headers {
		all[name] = header(name)
	}
	return all
}

// receive handles POST /external/:integration. Errors: BadRequest, InvalidJSON, UnsupportedWebhook, AnomalousWebhook,
// MissingEventHeader, StreamDoesNotExist; those of sending.
func (s *service) receive(ctx context.Context, a kit.Actor, in request) (answer, error) {
	integration, err := s.named(in.Integration)
	if err != nil {
		return answer{}, err
	}
	out, err := s.post(ctx, a, integration, in)
	s.received.Add(1, integration.Name, ports.Outcome(err))
	return out, err
}

// post posts what a webhook says.
func (s *service) post(ctx context.Context, a kit.Actor, integration format.Integration, in request) (answer, error) {
	if echo := integration.Echo; echo != "" && in.Header(echo) != "" {
		return answer{headers: map[string]string{echo: in.Header(echo)}}, nil
	}
	params, err := s.settings(ctx, a, integration, in.options)
	if err != nil {
		return answer{}, err
	}
	c := call{service: s, actor: a, integration: integration, in: in}
	r := format.Request{
		Type: in.Body.Type, Body: in.Body.Bytes, Payload: in.Payload, Headers: known(in.Header),
		Header: in.Header, Params: params,
		Wants: func(event string) bool { return passesFilters(event, in.Only, in.Exclude) },
	}
	if in.Secret != "" && c.integration.Verify != nil && !c.integration.Verify(r, in.Secret) {
		err := errs.Bad("The webhook's signature is wrong.")
		return answer{}, c.lost(ctx, "its signature does not match the `webhook_secret` in the URL", err)
	}
	m, err := c.integration.Format(r)
	m = m.Clean()
	var unsupported format.UnsupportedError
	if errors.As(err, &unsupported) {
		m.Event = cmp.Or(m.Event, unsupported.Event)
	}
	switch {
	case errors.Is(err, format.ErrSkip) || !passesFilters(m.Event, in.Only, in.Exclude):
		return answer{}, nil
	case err != nil:
		return answer{}, c.unreadable(ctx, err)
	case strings.TrimSpace(m.Content) == "":
		// Not an error, since the service would disable the webhook, or repeat the request.
		const why = "the payload contains no text"
		return unposted(why), c.lost(ctx, why, nil)
	}
	return c.send(ctx, m)
}

// unposted returns the response to a webhook that was accepted, but not posted.
func unposted(why string) answer { return answer{msg: "Nothing was posted: " + why + "."} }

// passesFilters applies only_events and exclude_events. Integrations without events are not filtered.
func passesFilters(event string, only, exclude *[]string) bool {
	matches := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, err := path.Match(p, event)
			return err == nil && ok
		})
	}
	switch {
	case event == "":
		return true
	case only != nil && !matches(*only), exclude != nil && matches(*exclude):
		return false
	}
	return true
}

// send sends the message to the conversation specified in the URL.
func (c call) send(ctx context.Context, m format.Message) (answer, error) {
	v, err := c.Directory.View(ctx, c.actor.Realm)
	if err != nil {
		return answer{}, err
	}
	bot := v.User(c.actor.User)
	if bot == nil || !bot.Active {
		return answer{}, user.LoginDeactivated()
	}
	as := c.actor
	as.Client = "Zulip" + strings.ReplaceAll(c.integration.Display, " ", "") + "Webhook"
	out := message.Outgoing{
		Content: strings.ReplaceAll(m.Content, "\x00", ""), Topic: printable(m.Topic), Silent: !c.integration.Mentions,
	}
	if c.in.Stream == nil {
		if bot.BotOwner == 0 {
			return answer{}, errs.Bad("This account has no owner; name a channel with the parameter stream.")
		}
		out.To, out.Topic = []user.ID{bot.BotOwner}, ""
		return answer{}, c.deliver(ctx, as, out)
	}
	stream := unescape(c.integration, *c.in.Stream)
	if c.in.Topic != nil {
		out.Topic = unescape(c.integration, *c.in.Topic)
	}
	ref := channelNamed(stream)
	to, err := message.FindChannel(v, ref)
	if err != nil || !seesChannel(v, to, bot) {
		return c.channelMissing(ctx, ref)
	}
	out.Channel = to.ID
	return answer{}, c.deliver(ctx, as, out)
}

// deliver sends the message, without notifying the people it mentions if the account may not mention them.
func (c call) deliver(ctx context.Context, as kit.Actor, out message.Outgoing) error {
	_, err := c.Sender.Send(ctx, as, out)
	var refusal *errs.Error
	if !out.Silent && errors.As(err, &refusal) && !passing(refusal) {
		out.Silent = true
		if _, again := c.Sender.Send(ctx, as, out); again == nil {
			return nil
		}
	}
	return c.refused(ctx, err)
}

// printable removes the characters of a payload's text that topics must not contain.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// unescape unescapes a parameter once more for services that escape it twice.
func unescape(integration format.Integration, text string) string {
	if !integration.DoubleEscaped {
		return text
	}
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// channelNamed parses the parameter stream. A number is a channel ID.
func channelNamed(text string) message.ToChannel {
	text = strings.TrimSpace(text)
	if id, err := strconv.ParseInt(text, 10, 64); err == nil && strings.Trim(text, "0123456789") == "" {
		return message.ToChannel{ID: channel.ID(id)}
	}
	return message.ToChannel{Name: text}
}

// seesChannel reports whether the bot or its owner can see a channel. Other channels are treated as missing.
func seesChannel(v *directory.View, c *channel.Channel, bot *user.User) bool {
	return permission.SeesChannel(v, c, bot) || bot.IsBot() && permission.SeesChannel(v, c, v.User(bot.BotOwner))
}
