// Package topics determines what a user can see of a topic: whether a message begins it, whether the user has any of
// its messages, and how many messages a move would affect.
package topics

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// Service looks up users' messages by topic.
type Service struct {
	store    store
	inbox    *inbox.Store
	audience *audience.Service
}

// New returns a Service.
func New(db *bunstore.DB, in *inbox.Store, a *audience.Service) *Service {
	return &Service{store{db}, in, a}
}

// span is the range of IDs from first to last, inclusive.
type span struct{ first, last message.ID }

// lookup selects messages of a topic.
type lookup struct {
	in         message.Recipient
	key        string
	within     []span // if empty, no message matches
	neverMoved bool   // exclude messages that were ever moved between channels
}

// BeginTopics reports, for each channel message, whether it begins its topic, as far as its sender can see: the sender
// cannot read any message with a lower ID in the topic. If the ID is 0, the message has not been sent yet. Only Sender,
// Recipient, TopicKey and ID are used. The number of statements does not depend on the number of messages.
func (s *Service) BeginTopics(ctx context.Context, v *directory.View, ms []message.Message) ([]bool, error) {
	lookups := make([]lookup, len(ms))
	var restricted []int // messages whose senders can read only messages that they have
	var pairs []inbox.Pair
	for i, m := range ms {
		lookups[i] = lookup{in: m.Recipient, key: m.TopicKey}
		switch message.AccessTo(v, m.Recipient, v.User(m.Sender)) {
		case message.AllAccess:
			lookups[i].within = []span{{1, before(m)}}
		case message.OwnAccess:
			restricted, lookups[i].neverMoved = append(restricted, i), true
			pairs = append(pairs, inbox.Pair{User: m.Sender, In: m.Recipient})
		}
	}
	periods, err := s.inbox.Periods(ctx, pairs)
	if err != nil {
		return nil, err
	}
	for _, i := range restricted {
		for _, p := range periods[ms[i].Sender] {
			last := before(ms[i])
			if !p.Open() {
				last = min(last, p.ToMsg)
			}
			if p.Recipient == ms[i].Recipient && p.FromMsg < last {
				lookups[i].within = append(lookups[i].within, span{p.FromMsg + 1, last})
			}
		}
	}
	found, err := s.store.anyMatches(ctx, lookups)
	if err != nil {
		return nil, err
	}
	begins := make([]bool, len(ms))
	for i := range begins {
		begins[i] = !found[i]
	}
	return begins, s.checkMoved(ctx, v.Realm().ID, ms, restricted, begins)
}

// checkMoved clears begins for messages whose sender has a message that was moved into the topic.
func (s *Service) checkMoved(
	ctx context.Context, r realm.ID, ms []message.Message, restricted []int, begins []bool,
) error {
	var lookups []lookup
	var at []int
	for _, i := range restricted {
		if m := ms[i]; begins[i] {
			lookups = append(lookups, lookup{in: m.Recipient, key: m.TopicKey, within: []span{{1, before(m)}}})
			at = append(at, i)
		}
	}
	moved, err := s.store.moved(ctx, r, lookups)
	if err != nil {
		return err
	}
	var all []inbox.Delivery
	var indexes []int
	for n, some := range moved {
		for _, m := range some {
			all = append(all, inbox.Delivery{User: ms[at[n]].Sender, Message: m})
			indexes = append(indexes, at[n])
		}
	}
	holders, err := s.audience.HoldersByDelivery(ctx, all)
	for n, h := range holders {
		if h.Has {
			begins[indexes[n]] = false
		}
	}
	return err
}

// before returns the highest ID below that of a message, which may not have been sent yet.
func before(m message.Message) message.ID {
	if m.ID == 0 {
		return message.MaxID
	}
	return m.ID - 1
}

// HasMessage reports whether u has a message of a topic.
func (s *Service) HasMessage(
	ctx context.Context, r realm.ID, u user.ID, in message.Recipient, key string,
) (bool, error) {
	has, err := s.store.hasUnmoved(ctx, u, in, key)
	if err != nil || has {
		return has, err
	}
	moved, err := s.store.moved(ctx, r, []lookup{{in: in, key: key, within: []span{{1, message.MaxID}}}})
	if err != nil {
		return false, err
	}
	all := make([]inbox.Delivery, len(moved[0]))
	for i, m := range moved[0] {
		all[i] = inbox.Delivery{User: u, Message: m}
	}
	holders, err := s.audience.HoldersByDelivery(ctx, all)
	return slices.ContainsFunc(holders, func(h audience.Holder) bool { return h.Has }), err
}

// Count counts the messages of a topic and, unless since is 0, those of them with IDs of at least since. It reads only
// an index.
func (s *Service) Count(
	ctx context.Context,
	in message.Recipient,
	key string,
	since message.ID,
) (message.Movable, error) {
	return s.store.count(ctx, in, key, since)
}

// CountOwn is like Count, but counts only messages that u has, for protected history. Messages that were ever moved
// between channels are examined one by one, since their IDs do not determine who has them.
func (s *Service) CountOwn(
	ctx context.Context,
	u user.ID,
	in message.Recipient,
	key string,
	since message.ID,
) (message.Movable, error) {
	inboxes, err := s.inbox.Of(ctx, u)
	if err != nil {
		return message.Movable{}, err
	}
	m, err := s.store.countOwn(ctx, u, in, key, since)
	if err != nil {
		return m, err
	}
	return m, s.store.eachMoved(ctx, u, in, key, func(rule readstate.Message, flagged bool) {
		if flagged || inboxes[u].Received(rule) {
			m.Add(rule.ID, since)
		}
	})
}
