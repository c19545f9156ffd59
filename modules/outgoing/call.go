package outgoing

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/domain/webhook"
	"github.com/stoachat/stoa/ports"
)

// errObsolete ends a call without a reply: its message or bot no longer exists, or it was queued for too long.
var errObsolete = errors.New("the call is no longer needed")

// serve makes a call and handles its outcome. After an internal error, the call is retried like one that failed.
func (s *service) serve(ctx context.Context, r *row) error {
	err := s.attempt(ctx, r)
	var failure webhook.FailureError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errObsolete):
		return s.discard(ctx, r)
	case ctx.Err() != nil: // the server is stopping or the job timed out: not a failure of the service
		return errors.Join(ctx.Err(), s.postpone(context.WithoutCancel(ctx), r, false))
	case !errors.As(err, &failure):
		return errors.Join(err, s.postpone(ctx, r, true))
	case failure.Retry && r.Tries < s.cfg.Tries:
		s.Log.InfoContext(ctx, "an outgoing webhook will be retried", "bot", r.BotID, "tries", r.Tries, "error", err)
		return s.postpone(ctx, r, true)
	}
	s.Log.InfoContext(ctx, "an outgoing webhook failed", "bot", r.BotID, "tries", r.Tries, "error", err)
	return s.fail(ctx, r, failure)
}

// attempt makes a call and posts the service's answer as the bot. Errors: webhook.FailureError, errObsolete.
func (s *service) attempt(ctx context.Context, r *row) error {
	if s.Clock.Now().Sub(r.CreatedAt) > s.cfg.Life {
		return errObsolete
	}
	v, b, err := s.bot(ctx, r)
	if err != nil {
		return err
	}
	svc, _, err := s.Service.Ask(ctx, bot.ServiceOf{Realm: r.RealmID, Bot: b.ID})
	switch {
	case err != nil:
		return err
	case svc == nil:
		return errObsolete
	case r.Dropped:
		return webhook.ErrDropped
	case r.Tries > s.cfg.Tries: // the server crashed repeatedly during the call
		return webhook.ErrUnreached
	}
	m, err := s.message(ctx, actor(b, r), r)
	if err != nil {
		return err
	}
	call, ok, err := webhook.Invocation{View: v, Bot: b, Service: *svc, Message: m.Message, Object: m.JSON}.Call()
	switch {
	case err != nil:
		return err
	case !ok:
		return webhook.ErrNoDirect
	}
	answer, err := s.call(ctx, r, call, svc.Interface)
	if err != nil {
		return err
	}
	return s.postAnswer(ctx, r, answer)
}

// bot returns the view and the bot of a call. Errors: errObsolete if the bot or its organization is no longer active.
func (s *service) bot(ctx context.Context, r *row) (*directory.View, *user.User, error) {
	v, err := s.Directory.View(ctx, r.RealmID)
	if err != nil {
		return nil, nil, obsoleteIfRejected(err)
	}
	b := v.User(r.BotID)
	if v.Realm() == nil || v.Realm().Deactivated || b == nil || !b.Active {
		return nil, nil, errObsolete
	}
	return v, b, nil
}

// call makes the request and parses the response. Errors: webhook.FailureError and those of ctx.
func (s *service) call(ctx context.Context, r *row, call webhook.Call, form bot.Interface) (webhook.Answer, error) {
	reply, err := s.Webhooks.Post(ctx, call)
	s.calls.Add(1, ports.Outcome(err))
	if err == nil {
		return reply.Answer(form)
	}
	if ctx.Err() != nil {
		return webhook.Answer{}, ctx.Err()
	}
	// The cause is not shown to the owner, because it could reveal the server's internal network.
	s.Log.InfoContext(ctx, "the service of an outgoing webhook did not respond", "bot", r.BotID, "error", err)
	switch {
	case errs.Is(err, errs.BadRequest):
		return webhook.Answer{}, webhook.ErrForbidden
	case errs.Is(err, errs.TooLarge):
		return webhook.Answer{}, webhook.ErrTooLarge
	case errors.Is(err, context.DeadlineExceeded):
		return webhook.Answer{}, webhook.ErrTimeout
	case errs.Is(err, errs.Unavailable):
		return webhook.Answer{}, webhook.ErrUnreached
	}
	return webhook.Answer{}, webhook.ErrBroken
}

// postAnswer posts an answer as the bot in the message's current conversation, in the commit that ends the call.
func (s *service) postAnswer(ctx context.Context, r *row, a webhook.Answer) error {
	if a == (webhook.Answer{}) {
		return s.discard(ctx, r)
	}
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		_, b, err := s.bot(ctx, r)
		if err != nil {
			return err
		}
		if removed, err := s.store.Remove(ctx, r); err != nil || !removed {
			return err
		}
		as := actor(b, r)
		m, err := s.message(ctx, as, r)
		if err != nil {
			return err
		}
		out := reply(m.Message, b.ID, a.Content)
		out.WidgetContent = a.Widget
		_, err = s.Sender.Send(ctx, as, out)
		return err
	})
	if refusal := rejection(err); refusal != nil {
		return webhook.Unsendable(refusal.Msg)
	}
	return err
}

// message returns the message that caused a call, as the bot may read it now. Errors: errObsolete if it may not.
func (s *service) message(ctx context.Context, as user.Actor, r *row) (message.Object, error) {
	m, ok, err := s.Object.Ask(ctx, message.ObjectFor{Reader: as, Message: r.MessageID})
	if err == nil && !ok {
		err = errObsolete
	}
	return m, obsoleteIfRejected(err)
}

// reply returns a message to the conversation of m.
func reply(m message.Visible, from user.ID, text string) message.Outgoing {
	if c, isChannel := m.Recipient.Channel(); isChannel {
		return message.Outgoing{Channel: c, Topic: m.Topic, Content: text, Reply: true}
	}
	return message.Outgoing{To: m.Members.Minus(user.Set{from}), Content: text, Reply: true}
}

func actor(b *user.User, r *row) user.Actor {
	return user.Actor{Realm: r.RealmID, User: b.ID, Role: b.Role, Bot: b.BotType, Client: "OutgoingWebhookResponse"}
}

// obsoleteIfRejected converts a rejection to errObsolete.
func obsoleteIfRejected(err error) error {
	if rejection(err) != nil {
		return errObsolete
	}
	return err
}

// rejection returns the reason for rejecting a request, or nil if err is nil or temporary.
func rejection(err error) *errs.Error {
	var e *errs.Error
	if errors.As(err, &e) && e.Code != errs.Unavailable {
		return e
	}
	return nil
}
