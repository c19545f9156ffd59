package scheduled

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// list handles GET /scheduled_messages.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (addedWire, error) {
	rows, err := s.rows.Of(ctx, a.User, isMessage)
	if err != nil {
		return addedWire{}, err
	}
	all, err := wireMessagesOf(rows)
	return addedWire{all}, err
}

// section returns the section scheduled_messages of /register.
func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (addedWire, error) {
	return s.list(ctx, a, kit.None{})
}

type addReq struct {
	Type         string  `json:"type" enum:"channel,stream,direct,private"`
	To           string  `json:"to" forms:"integer | array of integer"`
	Topic        *string `json:"topic" alias:"subject"`
	Content      string  `json:"content"`
	At           int64   `json:"scheduled_delivery_timestamp"`
	ReadBySender *bool   `json:"read_by_sender"`
}

type addRes struct {
	ID scheduled.ID `json:"scheduled_message_id"`
}

// add handles POST /scheduled_messages. Errors: BadRequest, and those of POST /messages.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (addRes, error) {
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return addRes{}, err
	}
	m := scheduled.Message{Realm: a.Realm, Sender: a.User, Client: a.Client, URL: a.URL}
	toChannel, err := scheduled.ToChannel(in.Type)
	if err != nil {
		return addRes{}, err
	}
	if toChannel && in.Topic == nil {
		return addRes{}, errs.Bad("Missing topic")
	}
	to := scheduled.Change{Type: &in.Type, To: &in.To, Topic: in.Topic}
	if m.Place, err = to.Destination(v, u, m.Place); err != nil {
		return addRes{}, err
	}
	if m.Content, err = message.Clean(in.Content); err != nil {
		return addRes{}, err
	}
	if m.At, err = scheduled.At(in.At, s.Clock.Now()); err != nil {
		return addRes{}, err
	}
	self := len(m.Place.People) == 1 && m.Place.People[0] == a.User
	m.ReadBySender = in.ReadBySender != nil && *in.ReadBySender || in.ReadBySender == nil &&
		message.ReadBySender(a.Client) && !self
	if m.Content, m.Rendered, err = s.Dispatcher.Check(ctx, sender(m, u), outgoing(m)); err != nil {
		return addRes{}, err
	}
	r, err := rowOf(m)
	if err != nil {
		return addRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addRes, error) {
		if err := s.checkLimits(ctx, r); err != nil {
			return addRes{}, err
		}
		created := m
		if created.ID, err = s.rows.Insert(ctx, r); err != nil {
			return addRes{}, err
		}
		s.Work.AfterCommit(ctx, s.backlog.Added)
		if err := s.Hooks.Run(ctx, &scheduled.Created{By: a, Message: created}); err != nil {
			return addRes{}, err
		}
		return addRes{created.ID}, s.Log.Append(ctx, messageAdded.To(a.Realm, event.To(a.User), stored{ID: created.ID}))
	})
}

type changeReq struct {
	ID      scheduled.ID `json:"scheduled_message_id"`
	Type    *string      `json:"type" enum:"channel,stream,direct,private"`
	To      *string      `json:"to" forms:"integer | array of integer"`
	Topic   *string      `json:"topic" alias:"subject"`
	Content *string      `json:"content"`
	At      *int64       `json:"scheduled_delivery_timestamp"`
}

// maxAttempts is the maximum number of attempts to make a change if it conflicts with concurrent ones.
const maxAttempts = 4

// change handles PATCH /scheduled_messages/:scheduled_message_id. Errors: BadRequest (404 unless the caller owns the
// message), and those of POST /messages.
func (s *service) change(ctx context.Context, a kit.Actor, in changeReq) (kit.None, error) {
	c := scheduled.Change{Type: in.Type, To: in.To, Topic: in.Topic, Content: in.Content, At: in.At}
	for range maxAttempts {
		r, err := s.ownMessage(ctx, a, in.ID)
		if err != nil {
			return kit.None{}, err
		}
		if c == (scheduled.Change{}) {
			return kit.None{}, errs.Bad("Nothing to change")
		}
		old, err := r.message()
		if err != nil {
			return kit.None{}, err
		}
		now, err := s.changed(ctx, a, old, c)
		if err != nil {
			return kit.None{}, err
		}
		if stored, err := s.replace(ctx, a, old, now); err != nil || stored {
			return kit.None{}, err
		}
	}
	return kit.None{}, errs.New(errs.Unavailable, "The scheduled message is being changed by other requests")
}

// ownMessage returns the row of a scheduled message of the caller that has not been sent. Errors: BadRequest.
func (s *service) ownMessage(ctx context.Context, a kit.Actor, id scheduled.ID) (*row, error) {
	r, found, err := s.rows.Get(ctx, a.Realm, a.User, isMessage, id)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, errs.Absent("Scheduled message does not exist")
	case r.State == sent:
		return nil, errs.Bad("Scheduled message was already sent")
	}
	return r, nil
}

// changed applies a change to a message, checks the result, and renders it if necessary.
func (s *service) changed(ctx context.Context, a kit.Actor, old scheduled.Message,
	c scheduled.Change) (scheduled.Message, error) {
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return old, err
	}
	now := old
	now.Client, now.URL, now.Failed, now.Version = a.Client, a.URL, false, old.Version+1
	if now.Place, err = c.Destination(v, u, old.Place); err != nil {
		return old, err
	}
	if c.Content != nil {
		if now.Content, err = message.Clean(*c.Content); err != nil {
			return old, err
		}
	}
	switch {
	case c.At != nil:
		now.At, err = scheduled.At(*c.At, s.Clock.Now())
	case old.Failed:
		_, err = scheduled.At(old.At.Unix(), old.At)
	}
	if err != nil {
		return old, err
	}
	if c.Type != nil || c.To != nil || c.Content != nil {
		now.Content, now.Rendered, err = s.Dispatcher.Check(ctx, sender(now, u), outgoing(now))
	}
	return now, err
}

// replace stores a changed message. It returns false if the stored one has changed since old was read.
func (s *service) replace(ctx context.Context, a kit.Actor, old, now scheduled.Message) (bool, error) {
	changed, err := rowOf(now)
	if err != nil {
		return false, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) {
		if err := s.checkLimits(ctx, changed); err != nil {
			return false, err
		}
		r, err := s.ownMessage(ctx, a, old.ID)
		if err != nil || r.Version != old.Version || (r.State == failed) != old.Failed {
			return false, err
		}
		if err := s.rows.Update(ctx, changed); err != nil {
			return false, err
		}
		s.Work.AfterCommit(ctx, s.backlog.Added)
		if err := s.Hooks.Run(ctx, &scheduled.Changed{By: a, Old: old, New: now}); err != nil {
			return false, err
		}
		return true, s.Log.Append(ctx, messageChanged.To(a.Realm, event.To(a.User), stored{ID: old.ID}))
	})
}

type removeReq struct {
	ID scheduled.ID `json:"scheduled_message_id"`
}

// remove handles DELETE /scheduled_messages/:scheduled_message_id. Errors: BadRequest (404 unless the caller owns the
// message).
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		if _, err := s.ownMessage(ctx, a, in.ID); err != nil {
			return err
		}
		if err := s.rows.Delete(ctx, a.Realm, in.ID); err != nil {
			return err
		}
		if err := s.Hooks.Run(ctx, &scheduled.Removed{Realm: a.Realm, IDs: []scheduled.ID{in.ID}}); err != nil {
			return err
		}
		return s.Log.Append(ctx, messageRemoved.To(a.Realm, event.To(a.User), removed(in)))
	})
}

// profileDeleted deletes a user's scheduled messages and reminders when the profile is deleted.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	if _, err := s.Log.Lock(ctx, m.Realm); err != nil {
		return err
	}
	ids, err := s.rows.DeleteOf(ctx, m.User.ID)
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.Hooks.Run(ctx, &scheduled.Removed{Realm: m.Realm, IDs: ids})
}

// checkLimits checks the user's limits under the realm's lock, so that concurrent requests together cannot exceed them.
func (s *service) checkLimits(ctx context.Context, r row) error {
	if _, err := s.Log.Lock(ctx, r.RealmID); err != nil {
		return err
	}
	others, err := s.rows.Others(ctx, r.UserID, r.ID)
	if err != nil {
		return err
	}
	return others.Admit(len(r.Content) + len(r.Rendered))
}

// sender returns the actor that sends a message: its owner, with the client that scheduled it. u is the owner's record,
// or nil.
func sender(m scheduled.Message, u *user.User) user.Actor {
	a := user.Actor{Realm: m.Realm, User: m.Sender, Client: m.Client, URL: m.URL}
	if u != nil {
		a.Role, a.Bot = u.Role, u.BotType
	}
	return a
}

func outgoing(m scheduled.Message) message.Outgoing {
	out := message.Outgoing{Channel: m.Place.Channel, To: m.Place.People, Topic: m.Place.Topic, Content: m.Content}
	if m.ReadBySender {
		out.ReadFor = m.Sender
	}
	return out
}
