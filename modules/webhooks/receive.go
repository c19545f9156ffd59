package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/webhooks/internal/format"
)

type request struct {
	Integration string    `json:"integration"`
	Key         string    `json:"api_key"` // read by the HTTP server
	Stream      *string   `json:"stream"`
	Topic       *string   `json:"topic"`
	Only        *[]string `json:"only_events"`
	Exclude     *[]string `json:"exclude_events"`
	Secret      string    `json:"webhook_secret" default:""`
	Payload     string    `json:"payload" default:""`
	options
	headers
	Body kit.Body
}

// options holds the parameters of individual integrations.
type options struct {
	Branches      string `json:"branches" default:""`
	IgnorePrivate bool   `json:"ignore_private_repositories" default:"false"`
	Template      string `json:"template" default:""`
	TopicTemplate string `json:"topic_template" default:""`
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

// headers holds the values of format.Headers.
type headers struct {
	GitHubEvent        string `header:"X-GitHub-Event"`
	HubSignature256    string `header:"X-Hub-Signature-256"`
	HubSignature       string `header:"X-Hub-Signature"`
	GitLabEvent        string `header:"X-Gitlab-Event"`
	GitLabToken        string `header:"X-Gitlab-Token"`
	GiteaEvent         string `header:"X-Gitea-Event"`
	GiteaSignature     string `header:"X-Gitea-Signature"`
	ForgejoEvent       string `header:"X-Forgejo-Event"`
	ForgejoSignature   string `header:"X-Forgejo-Signature"`
	SentryResource     string `header:"Sentry-Hook-Resource"`
	SentrySignature    string `header:"Sentry-Hook-Signature"`
	PagerDutySignature string `header:"X-PagerDuty-Signature"`
	CircleCISignature  string `header:"Circleci-Signature"`
	StripeSignature    string `header:"Stripe-Signature"`
	GrafanaSignature   string `header:"X-Grafana-Alerting-Signature"`
}

func (h headers) byName() map[string]string {
	return map[string]string{
		"X-GitHub-Event": h.GitHubEvent, "X-Hub-Signature-256": h.HubSignature256, "X-Hub-Signature": h.HubSignature,
		"X-Gitlab-Event": h.GitLabEvent, "X-Gitlab-Token": h.GitLabToken, "X-Gitea-Event": h.GiteaEvent,
		"X-Gitea-Signature": h.GiteaSignature, "X-Forgejo-Event": h.ForgejoEvent, "X-Forgejo-Signature": h.ForgejoSignature,
		"Sentry-Hook-Resource": h.SentryResource, "Sentry-Hook-Signature": h.SentrySignature,
		"X-PagerDuty-Signature": h.PagerDutySignature, "Circleci-Signature": h.CircleCISignature,
		"Stripe-Signature":             h.StripeSignature,
		"X-Grafana-Alerting-Signature": h.GrafanaSignature,
	}
}

// receive handles POST /external/:integration. Errors: BadRequest, InvalidJSON, UnsupportedWebhook, AnomalousWebhook,
// MissingEventHeader, StreamDoesNotExist; those of sending.
func (s *service) receive(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	i := slices.IndexFunc(s.integrations, func(x format.Integration) bool { return x.Name == in.Integration })
	if i < 0 {
		return kit.None{}, errs.Absent("Unknown integration")
	}
	integration := s.integrations[i]
	r := format.Request{
		Type: in.Body.Type, Body: in.Body.Bytes, Payload: in.Payload, Headers: in.headers.byName(),
		Params: in.options.byName(),
	}
	if in.Secret != "" && integration.Verify != nil && !integration.Verify(r, in.Secret) {
		return kit.None{}, errs.Bad("The webhook's signature is wrong.")
	}
	m, err := integration.Format(r)
	if err != nil {
		return kit.None{}, s.toClientError(ctx, a, integration, err)
	}
	if strings.TrimSpace(m.Content) == "" || !passesFilters(m.Event, in.Only, in.Exclude) {
		return kit.None{}, nil
	}
	return kit.None{}, s.send(ctx, a, integration, in, m)
}

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

// toClientError converts an error of an integration to the error sent to the service. It notifies the bot's owner of
// likely mistakes in the setup.
func (s *service) toClientError(ctx context.Context, a kit.Actor, integration format.Integration, err error) error {
	var unsupported format.UnsupportedError
	var anomalous format.AnomalousError
	var malformed format.JSONError
	var header format.HeaderError
	var missing format.MissingError
	switch {
	case errors.As(err, &unsupported):
		return errs.New(errs.UnsupportedWebhook, "The '%s' event isn't currently supported by the %s webhook; ignoring",
			unsupported.Event, integration.Display).
			With("webhook_name", integration.Display).
			With("event_type", unsupported.Event)
	case errors.As(err, &anomalous):
		return errs.New(errs.AnomalousWebhook, "Unable to parse request: Did %s generate this event?", integration.Display).
			With("webhook_name", integration.Display).Because(err)
	case errors.As(err, &header):
		return s.notifyOwner(ctx, a, fmt.Sprintf("received a %s webhook without the header %s, and ignored it. "+
			"Check that the URL belongs to this service.", integration.Display, header.Header),
			errs.New(errs.MissingEventHeader, "Missing the HTTP event header '%s'", header.Header).With("header", header.Header))
	case errors.As(err, &malformed):
		return s.notifyOwner(ctx, a, fmt.Sprintf("received a %s webhook whose body is not JSON. "+
			"Check that the service is configured to send JSON.", integration.Display),
			errs.New(errs.InvalidJSON, "Malformed JSON").Because(err))
	case errors.As(err, &missing):
		return errs.New(errs.Missing, "Missing '%s' argument", missing.Param).With("var_name", missing.Param)
	}
	return err
}

// send sends the message to the conversation specified in the URL.
func (s *service) send(
	ctx context.Context, a kit.Actor, integration format.Integration, in request, m format.Message,
) error {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return err
	}
	bot := v.User(a.User)
	if bot == nil || !bot.Active {
		return user.LoginDeactivated()
	}
	a.Client = "Zulip" + strings.ReplaceAll(integration.Display, " ", "") + "Webhook"
	out := message.Outgoing{Content: m.Content, Topic: m.Topic, Silent: !integration.Mentions}
	if in.Stream == nil {
		if bot.BotOwner == 0 {
			return errs.Bad("This account has no owner; name a channel with the parameter stream.")
		}
		out.To, out.Topic = []user.ID{bot.BotOwner}, ""
		_, err = s.Sender.Send(ctx, a, out)
		return err
	}
	stream := unescape(integration, *in.Stream)
	if in.Topic != nil {
		out.Topic = unescape(integration, *in.Topic)
	}
	channelRef := channelNamed(stream)
	c, err := message.FindChannel(v, channelRef)
	if err != nil || !seesChannel(v, c, bot) {
		return s.channelMissing(ctx, a, integration, channelRef)
	}
	out.Channel = c.ID
	_, err = s.Sender.Send(ctx, a, out)
	return err
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

// channelMissing notifies the owner that a channel does not exist. Errors: StreamDoesNotExist for an ID, but none for a
// name, because a channel with that name may be created later.
func (s *service) channelMissing(
	ctx context.Context, a kit.Actor, integration format.Integration, to message.ToChannel,
) error {
	if to.Name == "" {
		return s.notifyOwner(
			ctx,
			a,
			fmt.Sprintf("received a %s webhook for a channel with the ID %d, which does not exist.", integration.Display, to.ID),
			message.NoChannel(to),
		)
	}
	name := strings.NewReplacer("*", "", "`", "", "\n", " ").Replace(to.Name)
	return s.notifyOwner(
		ctx,
		a,
		fmt.Sprintf("received a %s webhook for the channel `%.60s`, which does not exist.", integration.Display, name),
		nil,
	)
}
