package react

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
	"github.com/stoachat/stoa/ports"
)

// batch holds changes that are written together and the data needed to check them.
type batch struct {
	v         *directory.View
	messages  map[message.ID]message.Message
	holders   []audience.Holder                 // index: intent
	reactions map[message.ID][]message.Reaction // including the batch's changes
	added     []message.Reaction                // to be stored
	removed   []message.Reaction                // to be deleted
	touched   map[message.ID]user.Set           // users who react to messages that they do not have
	applied   []appliedChange
}

type appliedChange struct {
	change  *change
	message message.Message
}

// write applies a batch of changes with a constant number of statements.
func (s *Service) write(
	ctx context.Context,
	v *directory.View,
	last event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	b, err := s.load(ctx, v, in)
	if err != nil {
		return nil, err
	}
	for i, intent := range in {
		intent.Err = b.apply(message.EmojisIn(v, s.Emoji), i, intent.Value.(*change))
	}
	if len(b.applied) == 0 {
		return nil, nil
	}
	if err := s.Store.Reactions.Delete(ctx, b.removed); err != nil {
		return nil, err
	}
	recipients := make([]message.Recipient, len(b.added))
	for i, r := range b.added {
		recipients[i] = b.messages[r.Message].Recipient
	}
	if err := s.Store.Reactions.Add(ctx, b.added, recipients, int64(last)<<10); err != nil {
		return nil, err
	}
	if err := s.Flags.Touch(ctx, b.touched); err != nil {
		return nil, err
	}
	return s.publish(ctx, b)
}

func (s *Service) load(ctx context.Context, v *directory.View, in []*ports.Intent) (*batch, error) {
	b := &batch{v: v, messages: map[message.ID]message.Message{}, touched: map[message.ID]user.Set{}}
	ids := make([]message.ID, len(in))
	for i, intent := range in {
		ids[i] = intent.Value.(*change).reaction.Message
	}
	heads, err := s.Store.Heads(ctx, v.Realm().ID, ids)
	if err != nil {
		return nil, err
	}
	for _, m := range heads {
		b.messages[m.ID] = m
	}
	if b.reactions, err = s.Store.Reactions.Of(ctx, ids); err != nil {
		return nil, err
	}
	deliveries := make([]inbox.Delivery, len(in))
	for i, intent := range in {
		r := intent.Value.(*change).reaction
		deliveries[i] = inbox.Delivery{User: r.User, Message: b.messages[r.Message]}
	}
	b.holders, err = s.Audience.HoldersByDelivery(ctx, deliveries)
	return b, err
}

// apply applies one change. Errors: BadRequest, ReactionExists, ReactionMissing.
func (b *batch) apply(emojis message.Emojis, i int, c *change) error {
	r := c.reaction
	m, ok := b.messages[r.Message]
	if !ok || !allowed(b.v, r.User, &m, b.holders[i]) {
		return message.Invalid()
	}
	at := slices.IndexFunc(b.reactions[r.Message], func(o message.Reaction) bool { return o.User == r.User && o.Same(r) })
	if !c.add {
		if at < 0 {
			return errs.New(errs.ReactionMissing, "Reaction doesn't exist.")
		}
		c.reaction = b.reactions[r.Message][at]
		b.drop(c.reaction, at)
		b.applied = append(b.applied, appliedChange{c, m})
		return nil
	}
	if at >= 0 {
		return errs.New(errs.ReactionExists, "Reaction already exists.")
	}
	if same := slices.IndexFunc(b.reactions[r.Message], r.Same); same >= 0 {
		r.Name = b.reactions[r.Message][same].Name // an emoji has one name per message
	} else if err := message.CheckReaction(emojis, r); err != nil {
		return err
	}
	if err := message.CheckReactionLimits(b.reactions[r.Message], r, b.v.Responsible); err != nil {
		return err
	}
	c.reaction = r
	b.reactions[r.Message] = append(b.reactions[r.Message], r)
	b.added = append(b.added, r)
	if !b.holders[i].Has {
		b.touched[r.Message] = b.touched[r.Message].Union(idset.Of(r.User))
	}
	b.applied = append(b.applied, appliedChange{c, m})
	return nil
}

// drop removes a reaction from the database or, if this batch adds it, from the batch.
func (b *batch) drop(r message.Reaction, at int) {
	b.reactions[r.Message] = slices.Delete(slices.Clone(b.reactions[r.Message]), at, at+1)
	same := func(o message.Reaction) bool { return o.Message == r.Message && o.User == r.User && o.Same(r) }
	if i := slices.IndexFunc(b.added, same); i >= 0 {
		b.added = slices.Delete(b.added, i, i+1)
		return
	}
	b.removed = append(b.removed, r)
}

// publish returns the events and runs message.Reacted.
func (s *Service) publish(ctx context.Context, b *batch) ([]event.Event, error) {
	ms := make([]message.Message, len(b.applied))
	for i, d := range b.applied {
		ms[i] = d.message
	}
	to, err := s.Audience.Of(ctx, b.v, ms)
	if err != nil {
		return nil, err
	}
	events := make([]event.Event, len(b.applied))
	reactedEvent := message.Reacted{Realm: b.v.Realm().ID, Messages: b.messages}
	for i, d := range b.applied {
		eventType := s.removed
		if d.change.add {
			eventType = s.added
			reactedEvent.Reactions = append(reactedEvent.Reactions, d.change.reaction)
		}
		events[i] = eventType.To(d.change.realm, to[i],
			reacted{Reaction: d.change.reaction, ID: d.message.ID, Recipient: d.message.Recipient}).
			About(int64(d.message.ID))
	}
	if len(reactedEvent.Reactions) == 0 {
		return events, nil
	}
	return events, s.Hooks.Run(ctx, &reactedEvent)
}
