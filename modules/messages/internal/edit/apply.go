package edit

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/remove"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// affected splits the users affected by a change into those who keep or gain access to the messages and those who lose
// it.
type affected struct {
	notified []notified
	lost     []audience.Share
	readers  user.Set // see message.Edited.Readers
}

// notified is a share whose users receive the event. hadAccess means that they had access to the messages before the
// change.
type notified struct {
	audience.Share
	hadAccess bool
}

// affected determines the affected users. It must be called before anything is written.
func (s *Service) affected(ctx context.Context, c *change) (affected, error) {
	ms := c.moved
	if ms == nil {
		ms = []message.Message{c.before}
	}
	shares, err := s.Audience.Shares(ctx, c.v, ms)
	if err != nil {
		return affected{}, err
	}
	var out affected
	var keep, all []user.ID
	for _, h := range shares {
		var lost []user.ID
		members := h.To.Members(c.v)
		for _, u := range members {
			switch {
			case c.Target == nil:
			case permission.ReadsAll(c.v, c.Target, c.v.User(u)) || c.v.Subscribed(u, c.Target.ID):
				keep = append(keep, u)
			default:
				lost = append(lost, u)
			}
		}
		if len(lost) > 0 {
			out.lost = append(out.lost, audience.Share{To: event.Each(lost...), Messages: h.Messages})
		}
		all = append(all, members...)
	}
	if c.Channel != nil && !c.Channel.HistoryPublic {
		out.readers = append(user.Set{}, idset.Of(all...)...) // not nil, even if there are none
	}
	if c.Target == nil {
		for _, share := range shares {
			out.notified = append(out.notified, notified{share, true})
		}
		return out, nil
	}
	// Users who can read the target channel can read all of the moved messages.
	gain := c.v.Subscribers(c.Target.ID).Minus(c.v.WithRole(user.Guest)).Minus(idset.Of(keep...))
	if len(gain) > 0 {
		out.notified = append(out.notified, notified{audience.Share{To: event.Each(gain...), Messages: ms}, false})
	}
	// Queues that follow either channel are in no audience. They receive the event of those who had access, or the
	// removal, so both are logged even if they address nobody.
	if c.Target.Private && c.Channel.HistoryPublic && len(out.lost) == 0 {
		out.lost = []audience.Share{{To: event.Each(), Messages: ms}}
	}
	out.notified = append(out.notified, notified{audience.Share{To: event.Each(keep...), Messages: ms}, true})
	return out, nil
}

// apply writes the change and its events.
func (s *Service) apply(ctx context.Context, c *change) error {
	to, err := s.affected(ctx, c)
	if err != nil {
		return err
	}
	if err := s.checkCrossings(ctx, c); err != nil {
		return err
	}
	if err := s.move(ctx, c); err != nil { // before locking the realm, so that others can keep sending
		return err
	}
	last, err := s.Log.Lock(ctx, c.by.Realm)
	if err != nil {
		return err
	}
	c.seq = int64(last) + 1
	unstarred, err := s.write(ctx, c, to.lost)
	if err != nil {
		return err
	}
	entries := make([]event.Event, len(to.notified), len(to.notified)+len(to.lost)+len(unstarred))
	for i, share := range to.notified {
		entries[i] = s.eventOf(c, share)
	}
	entries = append(entries, remove.RemovedEvents(
		c.by.Realm, to.lost, c.ids()[0], c.before.Recipient, c.before.Topic, c.after.Recipient)...)
	if err := s.Log.Append(ctx, append(entries, unstarred...)...); err != nil {
		return err
	}
	for _, share := range to.lost {
		c.lost = c.lost.Union(user.Set(share.To.Users))
	}
	c.readers = to.readers
	if c.Target == nil {
		return nil
	}
	for _, ch := range []*channel.Channel{c.Channel, c.Target} {
		if err := s.Remover.UpdateFirst(ctx, c.by, ch); err != nil {
			return err
		}
	}
	return nil
}

// write changes the rows and returns the events for users who lose access to messages that they had starred.
func (s *Service) write(ctx context.Context, c *change, lost []audience.Share) ([]event.Event, error) {
	if c.text != nil {
		c.after.Content, c.after.Rendered, c.after.RenderVersion = c.text.Content, c.text.HTML, c.text.Version
		c.after.Facts = c.text.Facts | c.after.Facts&(message.MovedChannel|message.HasWidget) | message.Changed
		c.after.EditedAt, c.after.RealmURL = c.now, c.text.RealmURL
		if err := s.Store.Rewrite(ctx, &c.after); err != nil {
			return nil, err
		}
		if err := s.Flags.SetEdited(ctx, c.text.Flags); err != nil {
			return nil, err
		}
	}
	var unstarred []event.Event
	if c.moved != nil {
		if err := s.Store.RecordMove(ctx, c.by.Realm, c.ids()); err != nil {
			return nil, err
		}
	}
	if c.moved != nil && c.Target != nil {
		var err error
		if unstarred, err = s.Flags.DropMoved(
			ctx, c.v, c.ids(), c.before.Recipient, c.after.Recipient,
			audience.Outsiders(c.v, c.before.Recipient, lost), audience.NotifiedBy(c.v, lost),
		); err != nil {
			return nil, err
		}
	}
	return unstarred, s.Store.Edits.Add(ctx, c.edits())
}

// move changes the conversation and topic of the moved messages, whose rows must be locked.
func (s *Service) move(ctx context.Context, c *change) error {
	if c.moved == nil {
		return nil
	}
	to := store.Place{Topic: c.Topic}
	if c.Topic != nil {
		to.TopicKey = topic.Key(*c.Topic)
		c.after.Topic, c.after.TopicKey = *c.Topic, to.TopicKey
	}
	if c.Target != nil {
		to.Recipient = message.OfChannel(c.Target.ID)
		c.after.Recipient = to.Recipient
		c.after.Facts |= message.MovedChannel
	}
	c.after.Facts |= message.Changed
	if !c.Resolved {
		to.At, c.after.MovedAt = c.now, c.now
	}
	return s.Store.Move(ctx, c.ids(), to)
}

// checkCrossings limits how often a message can be moved between channels, because determining which users have it
// requires reading all of these moves. Errors: BadRequest.
func (s *Service) checkCrossings(ctx context.Context, c *change) error {
	if c.Target == nil {
		return nil
	}
	n, err := s.Store.Edits.MaxChannelMoves(ctx, c.ids())
	if err != nil || n < message.MaxChannelMoves {
		return err
	}
	return errs.Bad("A message can be moved between channels at most %d times.", message.MaxChannelMoves)
}

// edits returns the history entries of the change: one for each moved message, including the content of the edited
// message.
func (c *change) edits() []message.Edit {
	ms := c.moved
	if ms == nil {
		ms = []message.Message{c.before}
	}
	out := make([]message.Edit, len(ms))
	for i := range ms {
		e := message.Edit{Message: ms[i].ID, Seq: c.seq, User: c.by.User, At: c.now}
		if c.Topic != nil {
			e.PrevTopic, e.Topic = &ms[i].Topic, c.Topic
		}
		if c.Target != nil {
			e.From, e.To, e.ToProtected = ms[i].Recipient, message.OfChannel(c.Target.ID), !c.Target.HistoryPublic
		}
		if c.text != nil && ms[i].ID == c.before.ID {
			e.PrevContent, e.PrevRendered = &c.before.Content, &c.before.Rendered
		}
		out[i] = e
	}
	return out
}

// detached returns the actor's files that are no longer attached to any message. It must be called before runHooks.
func (s *Service) detached(ctx context.Context, c *change) ([]message.Attachment, error) {
	if c.before.Content == c.after.Content || c.before.Facts&message.HasAttachment == 0 {
		return nil, nil
	}
	files, _, err := s.Detached.Ask(ctx, message.DetachedFiles{
		Realm: c.by.Realm, Owner: c.by.User, Message: c.after.ID, Attachments: c.text.Attachments,
	})
	return files, err
}

// runHooks runs message.Edited.
func (s *Service) runHooks(ctx context.Context, c *change) error {
	m := &message.Edited{Realm: c.by.Realm, By: c.by, Before: c.before, After: c.after}
	if c.text != nil {
		m.Pages, m.Attachments = c.text.Pages, c.text.Attachments
		m.Calls = c.text.Calls
	}
	if c.moved != nil {
		m.Moved, m.Whole, m.Fresh, m.Lost, m.Readers = c.ids(), c.wholeTopic, c.targetEmpty, c.lost, c.readers
		m.Senders = c.senders()
		m.From = message.TopicRef{Recipient: c.before.Recipient, Topic: c.before.Topic}
		m.To = message.TopicRef{Recipient: c.after.Recipient, Topic: c.after.Topic}
	}
	if m.Readers != nil {
		m.Had = func(ctx context.Context, us user.Set) (user.Set, error) {
			return s.Audience.HoldersOfAny(ctx, us, c.moved)
		}
	}
	return s.Hooks.Run(ctx, m)
}
