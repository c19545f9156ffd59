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
)

// errMoot is the error of a call that nobody needs any more: what it is about, or who it is for, is not there.
var errMoot = errors.New("the call is of no use any more")

// serve makes a call and does what follows from its outcome. An error leaves the call to whoever takes it when its lease ends.
func (s *service) serve(ctx context.Context, r *row) error {
	err := s.attempt(ctx, r)
	var failure webhook.FailureError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errMoot):
		return s.passOver(ctx, r)
	case ctx.Err() != nil: // the server stops, or the job's time is over: it was not the service
		return errors.Join(ctx.Err(), s.putOff(context.WithoutCancel(ctx), r, false))
	case !errors.As(err, &failure):
		return err
	case failure.Again && r.Tries < s.cfg.Tries:
		s.Log.InfoContext(ctx, "an outgoing webhook is called again", "bot", r.BotID, "tries", r.Tries, "error", err)
		return s.putOff(ctx, r, true)
	}
	s.Log.InfoContext(ctx, "an outgoing webhook has failed", "bot", r.BotID, "tries", r.Tries, "error", err)
	return s.fail(ctx, r, failure)
}

// attempt makes a call, and has the bot say what is answered. Errors: a webhook.FailureError, errMoot.
func (s *service) attempt(ctx context.Context, r *row) error {
	if s.Clock.Now().Sub(r.CreatedAt) > s.cfg.Life {
		return errMoot
	}
	v, b, err := s.bot(ctx, r)
	if err != nil {
		return err
	}
	svc, err := s.Services.Service(ctx, r.RealmID, b.ID)
	switch {
	case err != nil:
		return err
	case svc == nil:
		return errMoot
	case r.Dropped:
		return webhook.ErrDropped
	case r.Tries > s.cfg.Tries: // the server was lost again and again while it was called
		return webhook.ErrUnreached
	}
	m, object, err := s.Objects.Object(ctx, actor(b, r), r.MessageID)
	if err != nil {
		return moot(err)
	}
	call, ok, err := webhook.Spoken{View: v, Bot: b, Service: *svc, Message: m, Object: object}.Call()
	switch {
	case err != nil:
		return err
	case !ok:
		return webhook.ErrNoDirect
	}
	text, err := s.ask(ctx, r, call, svc.Interface)
	if err != nil {
		return err
	}
	return s.say(ctx, r, text)
}

// bot gives the bot of a call as it is now, if it may still be called.
func (s *service) bot(ctx context.Context, r *row) (*directory.View, *user.User, error) {
	v, err := s.Directory.View(ctx, r.RealmID)
	if err != nil {
		return nil, nil, moot(err)
	}
	b := v.User(r.BotID)
	if v.Realm() == nil || v.Realm().Deactivated || b == nil || !b.Active {
		return nil, nil, errMoot
	}
	return v, b, nil
}

// ask makes the request and reads what is answered. Errors: webhook.FailureError; the context's.
func (s *service) ask(ctx context.Context, r *row, call webhook.Call, form bot.Interface) (string, error) {
	reply, err := s.Webhooks.Post(ctx, call)
	switch {
	case err == nil:
		return reply.Say(form)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errs.Is(err, errs.BadRequest):
		return "", webhook.ErrForbidden
	case errs.Is(err, errs.TooLarge):
		return "", webhook.ErrTooMuch
	}
	s.Log.InfoContext(ctx, "the service of an outgoing webhook was not reached", "bot", r.BotID, "error", err) // its owner is not told why
	return "", webhook.ErrUnreached
}

// say has the bot post a text where the message is now, in the commit that ends the call; "" is no text.
func (s *service) say(ctx context.Context, r *row, text string) error {
	if text == "" {
		return s.passOver(ctx, r)
	}
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		_, b, err := s.bot(ctx, r)
		if err != nil {
			return err
		}
		if ours, err := s.store.Done(ctx, r); err != nil || !ours {
			return err
		}
		as := actor(b, r)
		m, _, err := s.Objects.Object(ctx, as, r.MessageID)
		if err != nil {
			return moot(err)
		}
		_, err = s.Sender.Send(ctx, as, answer(m, b.ID, text))
		return err
	})
	if refused(err) {
		return webhook.ErrUnsayable
	}
	return err
}

// answer is a message in the conversation of m.
func answer(m message.Visible, from user.ID, text string) message.Outgoing {
	if c, isChannel := m.Recipient.Channel(); isChannel {
		return message.Outgoing{Channel: c, Topic: m.Topic, Content: text}
	}
	return message.Outgoing{To: m.Members.Minus(user.Set{from}), Content: text}
}

func actor(b *user.User, r *row) user.Actor {
	return user.Actor{Realm: r.RealmID, User: b.ID, Role: b.Role, Bot: b.BotType, Client: "OutgoingWebhook"}
}

// moot makes errMoot of a refusal.
func moot(err error) error {
	if refused(err) {
		return errMoot
	}
	return err
}
