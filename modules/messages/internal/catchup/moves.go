package catchup

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// move consists of the messages that were in one topic and are in another one now.
type move struct {
	from, to    message.TopicRef
	at, until   store.TopicRef
	messages    []message.Message // as they were, without content
	first, last time.Time         // when the first and the last of them were moved
}

// MovedSince answers message.MovedSince. What happened in between, such as that a topic had several names, is not part
// of the answer.
func (s *Service) MovedSince(ctx context.Context, q message.MovedSince) ([]message.Edited, error) {
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return nil, err
	}
	moves, err := s.moves(ctx, q)
	if err != nil {
		return nil, err
	}
	out := make([]message.Edited, 0, len(moves))
	for i, m := range moves {
		e := message.Edited{
			Realm: q.Realm, By: user.Actor{Realm: q.Realm}, Before: m.messages[0], After: m.messages[0], From: m.from, To: m.to,
		}
		e.After.Recipient, e.After.Topic, e.After.TopicKey = m.to.Recipient, m.to.Topic, m.until.Key
		var senders []user.ID
		for _, one := range m.messages {
			e.Moved = append(e.Moved, one.ID)
			senders = append(senders, one.Sender)
		}
		e.Senders = idset.Of(senders...)
		// The topic was moved as a whole by the last of its moves, unless older messages remain.
		another := slices.ContainsFunc(moves[i+1:], func(o *move) bool { return o.at == m.at })
		if !another {
			remaining, err := s.others(ctx, moves, m.at, m.last, nil)
			if err != nil {
				return nil, err
			}
			e.Whole = remaining == 0
		}
		before, err := s.others(ctx, moves, m.until, m.first, m)
		if err != nil {
			return nil, err
		}
		e.Fresh = before == 0
		if e.Readers, e.Had, err = s.readers(ctx, v, m); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// moves returns the moves, by the time of the last move of a message.
func (s *Service) moves(ctx context.Context, q message.MovedSince) ([]*move, error) {
	by := map[[2]store.TopicRef]*move{}
	var all []*move
	for after := message.ID(0); ; {
		some, upto, err := s.Store.Edits.MovedSince(ctx, q.Realm, q.Since, after, scanned)
		if err != nil {
			return nil, err
		}
		for _, one := range some {
			from, to := one.Before, one.After
			if from.Recipient == to.Recipient && from.Topic == to.Topic {
				continue // moved back
			}
			at := store.TopicRef{Recipient: from.Recipient, Key: from.TopicKey}
			until := store.TopicRef{Recipient: to.Recipient, Key: to.TopicKey}
			m := by[[2]store.TopicRef{at, until}]
			if m == nil {
				m = &move{
					from: message.TopicRef{Recipient: from.Recipient, Topic: from.Topic}, at: at, until: until, first: one.First,
				}
				by[[2]store.TopicRef{at, until}] = m
				all = append(all, m)
			}
			m.to = message.TopicRef{Recipient: to.Recipient, Topic: to.Topic}
			m.messages = append(m.messages, from)
			if one.First.Before(m.first) {
				m.first = one.First
			}
			if one.Last.After(m.last) {
				m.last = one.Last
			}
		}
		if upto == after {
			break
		}
		after = upto
	}
	slices.SortStableFunc(all, func(a, b *move) int { return a.last.Compare(b.last) })
	return all, nil
}

// others returns how many messages a topic had at a time that are still in it, without those that have come there by
// one of the moves. With except, other moves count.
func (s *Service) others(
	ctx context.Context, moves []*move, at store.TopicRef, before time.Time, except *move,
) (int64, error) {
	n, err := s.Store.CountBefore(ctx, at, before)
	for _, m := range moves {
		if m.until != at || except != nil && m != except {
			continue
		}
		for i := range m.messages {
			if m.messages[i].SentAt.Before(before) {
				n--
			}
		}
	}
	return n, err
}

// readers returns who received any of the messages, and a function that tells the same of deactivated users, if their
// channel had protected history; see message.Edited.
func (s *Service) readers(ctx context.Context, v *directory.View, m *move) (user.Set, had, error) {
	id, _ := m.from.Recipient.Channel()
	c := v.Channel(id)
	if c == nil || c.HistoryPublic {
		return nil, nil, nil
	}
	anyOf := func(ctx context.Context, us user.Set) (user.Set, error) {
		return s.Audience.HoldersOfAny(ctx, us, m.messages)
	}
	readers, err := anyOf(ctx, v.Subscribers(id))
	return append(user.Set{}, readers...), anyOf, err // not nil, even if there are none
}

type had = func(context.Context, user.Set) (user.Set, error)
