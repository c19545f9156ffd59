package webhooks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/webhooks/internal/format"
)

// noticeInterval is the minimum time between two notices about the same bot and integration.
const noticeInterval = time.Hour

// call is a request to an integration.
type call struct {
	*service
	actor       kit.Actor
	integration format.Integration
	in          request
}

// unreadable converts an error of the integration to the error for the service, and notifies the bot's owner.
func (c call) unreadable(ctx context.Context, err error) error {
	name := c.integration.Display
	var unsupported format.UnsupportedError
	var anomalous format.AnomalousError
	var malformed format.JSONError
	var header format.HeaderError
	var missing format.MissingError
	switch {
	case errors.As(err, &unsupported):
		return c.lost(ctx, fmt.Sprintf("events of the type %s are not supported. Disable them in the settings of the "+
			"service, or exclude them with the parameter `exclude_events` in the URL", quoted(unsupported.Event)),
			errs.New(errs.UnsupportedWebhook, "The '%s' event isn't currently supported by the %s webhook; ignoring",
				unsupported.Event, name).With("webhook_name", name).With("event_type", unsupported.Event))
	case errors.As(err, &anomalous):
		return c.lost(ctx, fmt.Sprintf("%s. Check that the URL belongs to this service", anomalous.Why),
			errs.New(errs.AnomalousWebhook, "Unable to parse request: Did %s generate this event?", name).
				With("webhook_name", name).Because(err))
	case errors.As(err, &header):
		return c.lost(ctx, fmt.Sprintf("it came without the header %s. Check that the URL belongs to this service",
			header.Header),
			errs.New(errs.MissingEventHeader, "Missing the HTTP event header '%s'", header.Header).With("header", header.Header))
	case errors.As(err, &malformed):
		return c.lost(ctx, fmt.Sprintf("the body is not JSON: %v. Check that the service is configured to send JSON",
			malformed.Err),
			errs.New(errs.InvalidJSON, "Malformed JSON").Because(err))
	case errors.As(err, &missing):
		return c.lost(ctx, fmt.Sprintf("it came without %s", quoted(missing.Param)),
			errs.New(errs.Missing, "Missing '%s' argument", missing.Param).With("var_name", missing.Param))
	}
	return err
}

// passing reports whether a refusal is not about the message: the service repeats the request, or the account is gone.
func passing(refusal *errs.Error) bool {
	switch refusal.Code {
	case errs.Unavailable, errs.RateLimit, errs.Unauthorized, errs.UserDeactivated, errs.RealmDeactivated:
		return true
	}
	return false
}

// refused notifies the owner if the message itself was refused. It returns err.
func (c call) refused(ctx context.Context, err error) error {
	var refusal *errs.Error
	if !errors.As(err, &refusal) || passing(refusal) {
		return err
	}
	return c.lost(ctx, "the message was refused: "+strings.TrimRight(refusal.Msg, "."), err)
}

// channelMissing notifies the owner that a channel does not exist. Errors: StreamDoesNotExist for an ID, but none for a
// name, because a channel with that name may be created later.
func (c call) channelMissing(ctx context.Context, to message.ToChannel) (answer, error) {
	if to.Name == "" {
		return answer{}, c.lost(ctx, fmt.Sprintf("the URL contains the channel ID %d, which does not exist", to.ID),
			message.NoChannel(to))
	}
	err := c.lost(ctx, fmt.Sprintf("the URL contains the channel %s, which does not exist", quoted(to.Name)), nil)
	return unposted("the channel does not exist"), err
}

// quoted formats a text that others wrote as inline code.
func quoted(text string) string {
	text = strings.NewReplacer("`", "'", "\n", " ", "\r", " ").Replace(strings.ToValidUTF8(text, ""))
	return fmt.Sprintf("`%.60s`", text)
}

// lost notifies the bot's owner that a webhook was not posted and why, unless the owner was notified recently. People
// who use their own key are notified themselves. It returns result, the result for the service, or an internal error.
func (c call) lost(ctx context.Context, why string, result error) error {
	v, err := c.Directory.View(ctx, c.actor.Realm)
	if err != nil {
		return err
	}
	as, ok := v.SystemActor(user.NotificationBot)
	bot := v.User(c.actor.User)
	if bot == nil || !ok {
		return result
	}
	owner, whose := v.User(bot.BotOwner), fmt.Sprintf("Your bot @_**%s|%d**", bot.FullName, bot.ID)
	if !bot.IsBot() {
		owner, whose = bot, "Your account"
	}
	if owner == nil || !owner.Active {
		return result
	}
	text := fmt.Sprintf("%s received a %s webhook that was not posted: %s.", whose, c.integration.Display, why)
	now := c.Clock.Now()
	err = c.Work.Do(ctx, func(ctx context.Context) error {
		due, err := c.store.AddNotice(ctx, bot.ID, c.integration.Name, now, now.Add(-noticeInterval))
		if err != nil || !due {
			return err
		}
		_, err = c.Sender.Send(ctx, as, message.Outgoing{
			To: []user.ID{owner.ID}, Content: strings.ReplaceAll(text, "\x00", ""),
		})
		return err
	})
	var refusal *errs.Error
	if err != nil && (!errors.As(err, &refusal) || refusal.Code == errs.Unavailable) {
		return err
	}
	return result // even if the owner could not be notified
}
