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
	v        *directory.View
	messages map[message.ID]message.Message
	had      []audience.Held                   // index: intent
	now      map[message.ID][]message.Reaction // including the batch's changes
	added    []message.Reaction                // to be stored
	removed  []message.Reaction                // to be deleted
	touched  map[message.ID]user.Set           // users who react to messages that they do not have
	done     []done
}

type done struct {
	change *change
	of     message.Message
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
	if len(b.done) == 0 {
		return nil, nil
	}
	if err := s.Store.Reactions.Drop(ctx, b.removed); err != nil {
		return nil, err
	}
	at := make([]message.Recipient, len(b.added))
	for i, r := range b.added {
		at[i] = b.messages[r.Message].Recipient
	}
	if err := s.Store.Reactions.Add(ctx, b.added, at, int64(last)<<10); err != nil {
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
	if b.now, err = s.Store.Reactions.Of(ctx, ids); err != nil {
		return nil, err
	}
	by := make([]inbox.Delivery, len(in))
	for i, intent := range in {
		r := intent.Value.(*change).reaction
		by[i] = inbox.Delivery{User: r.User, Message: b.messages[r.Message]}
	}
	b.had, err = s.Audience.Held(ctx, by)
	return b, err
}

// apply applies one change. Errors: BadRequest, ReactionExists, ReactionMissing.
func (b *batch) apply(all message.Emojis, i int, c *change) error {
	r := c.reaction
	m, ok := b.messages[r.Message]
	if !ok || !allowed(b.v, r.User, &m, b.had[i]) {
		return message.Invalid()
	}
	at := slices.IndexFunc(b.now[r.Message], func(o message.Reaction) bool { return o.User == r.User && o.Same(r) })
	if !c.add {
		if at < 0 {
			return errs.New(errs.ReactionMissing, "Reaction doesn't exist.")
		}
		c.reaction = b.now[r.Message][at]
		b.drop(c.reaction, at)
		b.done = append(b.done, done{c, m})
		return nil
	}
	if at >= 0 {
		return errs.New(errs.ReactionExists, "Reaction already exists.")
	}
	if same := slices.IndexFunc(b.now[r.Message], r.Same); same >= 0 {
		r.Name = b.now[r.Message][same].Name // an emoji has one name per message
	} else if err := message.CheckReaction(all, r); err != nil {
		return err
	}
	if err := message.CheckRoom(b.now[r.Message], r); err != nil {
		return err
	}
	c.reaction = r
	b.now[r.Message] = append(b.now[r.Message], r)
	b.added = append(b.added, r)
	if !b.had[i].Own {
		b.touched[r.Message] = b.touched[r.Message].Union(idset.Of(r.User))
	}
	b.done = append(b.done, done{c, m})
	return nil
}

// drop removes a reaction from the database or, if this batch adds it, from the batch.
func (b *batch) drop(r message.Reaction, at int) {
	b.now[r.Message] = slices.Delete(slices.Clone(b.now[r.Message]), at, at+1)
	same := func(o message.Reaction) bool { return o.Message == r.Message && o.User == r.User && o.Same(r) }
	if i := slices.IndexFunc(b.added, same); i >= 0 {
		b.added = slices.Delete(b.added, i, i+1)
		return
	}
	b.removed = append(b.removed, r)
}

// publish returns the events and runs message.Reacted.
func (s *Service) publish(ctx context.Context, b *batch) ([]event.Event, error) {
	ms := make([]message.Message, len(b.done))
	for i, d := range b.done {
		ms[i] = d.of
	}
	to, err := s.Audience.Of(ctx, b.v, ms)
	if err != nil {
		return nil, err
	}
	events := make([]event.Event, len(b.done))
	reactedEvent := message.Reacted{Realm: b.v.Realm().ID, Messages: b.messages}
	for i, d := range b.done {
		kind := s.removed
		if d.change.add {
			kind = s.added
			reactedEvent.Reactions = append(reactedEvent.Reactions, d.change.reaction)
		}
		events[i] = kind.To(d.change.realm, to[i],
			reacted{Reaction: d.change.reaction, ID: d.of.ID, Recipient: d.of.Recipient}).
			About(int64(d.of.ID))
	}
	if len(reactedEvent.Reactions) == 0 {
		return events, nil
	}
	return events, s.Hooks.Run(ctx, &reactedEvent)
}
