package edit

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// change is an edit that has passed the checks.
type change struct {
	*message.Plan
	by               kit.Actor
	actor            *user.User
	v                *directory.View
	in               request
	now              time.Time
	before           message.Message // the edited message
	after            message.Message
	text             *send.Text        // new content; nil: unchanged
	moved            []message.Message // the moved messages before the move, ascending; nil: none
	wholeTopic       bool              // all messages of the topic that the actor can see are moved
	targetEmpty      bool              // the new topic has no messages
	targetLooksEmpty bool              // the new topic has no messages that the actor can see
	seq              int64             // log position of the change's first entry

	lost, readers user.Set // see message.Edited
}

// topic returns the topic of the messages after the change.
func (c *change) topic() string {
	if c.Topic != nil {
		return *c.Topic
	}
	return c.before.Topic
}

// ids returns the IDs of the moved messages, or of the edited message if none are moved.
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

// senders returns the senders of the moved messages.
func (c *change) senders() user.Set {
	us := make([]user.ID, len(c.moved))
	for i := range c.moved {
		us[i] = c.moved[i].Sender
	}
	return idset.Of(us...)
}

// prepare checks the request and locks the messages.
func (s *Service) prepare(ctx context.Context, a kit.Actor, in request) (*change, error) {
	c, err := s.check(ctx, a, in)
	if err != nil {
		return nil, err
	}
	if c.Moves() {
		return c, s.lockMoved(ctx, c)
	}
	locked, err := s.Store.Lock(ctx, a.Realm, []message.ID{in.ID})
	if err == nil && len(locked) == 0 {
		err = message.Invalid()
	}
	return c, err
}

// lockMoved completes the checks before it finds and locks the messages to move, so that a rejected change locks
// nothing. Messages sent in between are recent enough to be moved, and concurrent moves wait for the locks.
func (s *Service) lockMoved(ctx context.Context, c *change) error {
	within := store.Range{From: 1, To: message.MaxID}
	switch c.Mode {
	case message.ChangeOne:
		within = store.Range{From: c.before.ID, To: c.before.ID}
	case message.ChangeLater:
		within.From = c.before.ID
	}
	if c.wholeTopic = c.Mode == message.ChangeAll; !c.wholeTopic {
		remains, err := s.anyRemains(ctx, c, within)
		if err != nil {
			return err
		}
		c.wholeTopic = !remains
	}
	if err := s.checkTarget(ctx, c); err != nil {
		return err
	}
	all, err := s.Store.LockTopic(ctx, c.before.Recipient, c.before.TopicKey, within)
	if err != nil {
		return err
	}
	c.moved = all
	if c.Target != nil { // only messages that the actor can see are moved to another channel
		if c.moved, err = s.visible(ctx, c, all); err != nil {
			return err
		}
	}
	return ports.Spend(ctx, moveCost*(len(c.moved)-1)) // patch has already charged for one
}

// visible returns the channel messages that the actor can see.
func (s *Service) visible(ctx context.Context, c *change, ms []message.Message) ([]message.Message, error) {
	if c.Channel.HistoryPublic {
		return ms, nil
	}
	found, err := s.Access.FilterVisible(ctx, c.v, c.actor, slices.Clone(ms))
	out := make([]message.Message, len(found))
	for i := range found {
		out[i] = found[i].Message
	}
	return out, err
}

// headsPerRead is the number of messages that anyRemains reads at once. Usually it needs only the first of them.
const headsPerRead = 200

// anyRemains reports whether the actor can see messages of the topic outside of a range of IDs.
func (s *Service) anyRemains(ctx context.Context, c *change, within store.Range) (bool, error) {
	for below := message.MaxID; ; {
		heads, err := s.Store.InTopic(ctx, c.before.Recipient, c.before.TopicKey, below, headsPerRead)
		if err != nil || len(heads) == 0 {
			return false, err
		}
		below = heads[len(heads)-1].ID
		if below > within.From && below <= within.To {
			below = within.From // skip the range
		}
		remaining := slices.DeleteFunc(heads, func(m message.Message) bool {
			return within.From <= m.ID && m.ID <= within.To
		})
		if found, err := s.visible(ctx, c, remaining); err != nil || len(found) > 0 {
			return true, err
		}
	}
}

// checkTarget checks whether the target topic has messages and whether the actor may create it.
func (s *Service) checkTarget(ctx context.Context, c *change) error {
	into := message.OfChannel(c.Into().ID)
	if key := topic.Key(c.topic()); into != c.before.Recipient || key != c.before.TopicKey {
		any, err := s.Store.HasMessages(ctx, into, key)
		if err != nil {
			return err
		}
		c.targetEmpty, c.targetLooksEmpty = !any, !any
		if any && !c.Into().HistoryPublic {
			first := message.Message{Sender: c.actor.ID, Recipient: into, TopicKey: key}
			begins, err := s.Topics.BeginTopics(ctx, c.v, []message.Message{first})
			if err != nil {
				return err
			}
			c.targetLooksEmpty = begins[0]
		}
	} else {
		c.targetEmpty, c.targetLooksEmpty = c.wholeTopic, c.wholeTopic // only the case of the name changes
	}
	if c.targetEmpty && !c.Resolved && !message.MayCreateTopics(c.v, c.actor, c.Into()) {
		return errs.Bad("You do not have permission to create new topics in this channel.")
	}
	return nil
}
