package edit

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// change is an edit that has passed all checks, with the rows that it concerns locked.
type change struct {
	*message.Plan
	by     kit.Actor
	actor  *user.User
	v      *directory.View
	in     request
	now    time.Time
	before message.Message // the message that was named
	after  message.Message
	text   *send.Text        // of the new content; nil: it stays
	moved  []message.Message // heads as they were, ascending; nil: nothing moves
	whole  bool              // nothing that the actor can see stays behind
	fresh  bool              // the topic that they go to has no messages yet
	alone  bool              // none at least that the actor can see
	seq    int64             // of the first entry

	lost, readers user.Set // see message.Edited
}

// to gives the topic that what moves goes to.
func (c *change) to() string {
	if c.Topic != nil {
		return *c.Topic
	}
	return c.before.Topic
}

// ids gives what moves; without a move the message alone.
func (c *change) ids() []message.ID {
	if c.moved == nil {
		return []message.ID{c.before.ID}
	}
	ids := make([]message.ID, len(c.moved))
	for i := range c.moved {
		ids[i] = c.moved[i].ID
	}
	return ids
}

// plan checks what is asked for and locks the messages.
func (s *Service) plan(ctx context.Context, a kit.Actor, in request) (*change, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	u, err := reader(v, a)
	if err != nil {
		return nil, err
	}
	found, err := s.Access.Changeable(ctx, v, u, in.ID) // whoever else changes messages waits for this unit's view
	if err != nil {
		return nil, err
	}
	c := &change{by: a, actor: u, v: v, in: in, now: s.Clock.Now(), before: found.Message, after: found.Message}
	c.Plan, err = message.PlanChange(v, u, &c.before, message.ChangeRequest{
		Topic: in.Topic, Channel: in.target(), Mode: in.Mode, Content: in.Content, PrevHash: in.PrevHash,
	}, c.now)
	var refusal *errs.Error
	if errors.As(err, &refusal) && refusal.Code == errs.MoveLimit {
		return nil, s.tooLate(ctx, c, refusal)
	}
	if err != nil {
		return nil, err
	}
	if c.Content != nil {
		c.text, err = s.Sending.Rewrite(ctx, v, a.URL, &c.before, *c.Content)
		if err != nil {
			return nil, err
		}
	}
	if c.Moves() {
		return c, s.gather(ctx, c)
	}
	locked, err := s.Store.Lock(ctx, a.Realm, []message.ID{in.ID})
	if err == nil && len(locked) == 0 {
		err = message.Invalid()
	}
	return c, err
}

// gather makes the checks that need the topic, and then finds and locks what moves (messages.md §10.5): a refusal locks nothing.
// What arrives in the topic between them is young enough, and whoever else moves messages waits.
func (s *Service) gather(ctx context.Context, c *change) error {
	if since, limited := c.Since(c.v, c.now); limited && c.Whole(c.actor) {
		m, err := s.movable(ctx, c, since)
		if err != nil {
			return err
		}
		if err := c.CheckWhole(m); err != nil {
			return err
		}
	}
	within := store.Range{From: 1, To: 1 << 60}
	switch c.Mode {
	case message.ChangeOne:
		within = store.Range{From: c.before.ID, To: c.before.ID}
	case message.ChangeLater:
		within.From = c.before.ID
	}
	if c.whole = c.Mode == message.ChangeAll; !c.whole {
		left, err := s.leaves(ctx, c, within)
		if err != nil {
			return err
		}
		c.whole = !left
	}
	if err := s.find(ctx, c); err != nil {
		return err
	}
	all, err := s.Store.LockTopic(ctx, c.before.Recipient, c.before.TopicKey, within)
	if err != nil {
		return err
	}
	c.moved = all
	if c.Target != nil { // elsewhere goes only what the actor can see
		c.moved, err = s.seen(ctx, c, all)
	}
	return err
}

// tooLate tells with the refusal to move an old message what of its topic may still be moved (api-v1.md, edit a message, rule 3).
func (s *Service) tooLate(ctx context.Context, c *change, refusal *errs.Error) error {
	since, _ := c.Since(c.v, c.now)
	m, err := s.movable(ctx, c, since)
	if err != nil {
		return err
	}
	return m.Complete(refusal)
}

// perCount is how many messages are looked at one by one at once, to count them.
const perCount = 1000

// movable counts the messages of the topic that the actor can see and those of them that were sent since then. In protected
// history those that were moved between channels are looked at one by one: of such, ids do not tell who has them.
func (s *Service) movable(ctx context.Context, c *change, since time.Time) (message.Movable, error) {
	in, key := c.before.Recipient, c.before.TopicKey
	if c.Channel.HistoryPublic {
		return s.Reading.Count(ctx, in, key, since)
	}
	m, err := s.Reading.CountOwn(ctx, c.actor.ID, in, key, since)
	if err != nil {
		return m, err
	}
	crossed := store.Scan{
		Filter: store.Filter{Recipients: []message.Recipient{in}, Topic: &key, Facts: message.Crossed}, Range: store.Range{From: 1, To: 1 << 60}, Limit: perCount,
	}
	for {
		heads, err := s.Store.One(ctx, crossed)
		if err != nil || len(heads) == 0 {
			return m, err
		}
		crossed.From = heads[len(heads)-1].ID + 1
		found, err := s.seen(ctx, c, heads)
		if err != nil {
			return m, err
		}
		for i := range found {
			m.Add(&found[i], since)
		}
	}
}

// seen leaves of messages of the channel those that the actor can see.
func (s *Service) seen(ctx context.Context, c *change, ms []message.Message) ([]message.Message, error) {
	if c.Channel.HistoryPublic {
		return ms, nil
	}
	found, err := s.Access.Among(ctx, c.v, c.actor, slices.Clone(ms))
	out := make([]message.Message, len(found))
	for i := range found {
		out[i] = found[i].Message
	}
	return out, err
}

// perLook is how many messages are looked at at once for one that stays; mostly the first does.
const perLook = 200

// leaves tells whether the actor can see a message of the topic with an id that is not within a range.
func (s *Service) leaves(ctx context.Context, c *change, within store.Range) (bool, error) {
	for below := message.ID(1 << 60); ; {
		heads, err := s.Store.InTopic(ctx, c.before.Recipient, c.before.TopicKey, below, perLook)
		if err != nil || len(heads) == 0 {
			return false, err
		}
		below = heads[len(heads)-1].ID
		if below > within.From && below <= within.To {
			below = within.From // all down to it go
		}
		stay := slices.DeleteFunc(heads, func(m message.Message) bool { return within.From <= m.ID && m.ID <= within.To })
		if found, err := s.seen(ctx, c, stay); err != nil || len(found) > 0 {
			return true, err
		}
	}
}

// find looks at the topic that what moves goes to.
func (s *Service) find(ctx context.Context, c *change) error {
	there := message.OfChannel(c.Into().ID)
	if key := topic.Key(c.to()); there != c.before.Recipient || key != c.before.TopicKey {
		any, err := s.Store.Any(ctx, there, key)
		if err != nil {
			return err
		}
		c.fresh, c.alone = !any, !any
		if any && !c.Into().HistoryPublic {
			asked := message.Begins{Realm: c.by.Realm, Asked: []message.Message{{Sender: c.actor.ID, Recipient: there, TopicKey: key}}}
			if err := s.Hooks.Run(ctx, &asked); err != nil {
				return err
			}
			c.alone = asked.Begins[0]
		}
	} else {
		c.fresh, c.alone = c.whole, c.whole // only the letters' case changes
	}
	if c.fresh && !c.Resolved && !message.MayCreateTopics(c.v, c.actor, c.Into()) {
		return errs.Bad("You do not have permission to create new topics in this channel.")
	}
	return nil
}
