package readstate

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

// sentMessages contains a user's messages that may be unread for another user. They are read before the realm is
// locked, since there may be many, and completed under the lock.
type sentMessages struct {
	sender    user.ID
	facts     []fact        // ascending
	loadedIDs readstate.IDs // facts contains the sender's messages with these IDs
	last      message.ID    // and all of the sender's messages up to this ID that may be unread
}

// BeforeMute implements [ports.ReadStates].
func (s *Service) BeforeMute(
	ctx context.Context,
	v *directory.View,
	by user.Actor,
	sender user.ID,
) (func(context.Context, *directory.View) ([]event.Event, error), error) {
	sent, err := s.loadSent(ctx, v, by, sender)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, v *directory.View) ([]event.Event, error) {
		changed, err := s.markSentRead(ctx, v, by, sent)
		if err != nil || len(changed) == 0 {
			return nil, err
		}
		return []event.Event{flags.Added(by.Realm, by.User, message.NameRead, changed)}, nil
	}, nil
}

// BeforeUnmute implements [ports.ReadStates].
func (s *Service) BeforeUnmute(ctx context.Context, v *directory.View, by user.Actor) (bool, error) {
	return s.states.raiseFloorStep(ctx, v, by)
}

func (s *Service) loadSent(
	ctx context.Context, v *directory.View, by user.Actor, sender user.ID,
) (sentMessages, error) {
	p, old, err := s.states.loadWhole(ctx, v, by.User)
	if err != nil {
		return sentMessages{}, err
	}
	sent := sentMessages{sender: sender, loadedIDs: p.state.Unread.Union(old), last: p.state.Floor}
	for some := range slices.Chunk(sent.loadedIDs, s.limits.batch) {
		fs, err := s.finder.lookup(ctx, v, by.Realm, some)
		if err != nil {
			return sentMessages{}, err
		}
		for _, f := range fs {
			if f.Sender == sender {
				sent.facts = append(sent.facts, f)
			}
		}
	}
	return sent, s.extend(ctx, by, &sent)
}

// extend adds the messages that the sender has sent since sent.last and that the user has received, limits.batch
// messages at a time. Within a realm, messages are committed in the order of their IDs. This does not hold across
// realms, which share the sequence of IDs.
func (s *Service) extend(ctx context.Context, by user.Actor, sent *sentMessages) error {
	var live []fact
	for more := true; more; {
		fs, err := s.finder.facts.bySender(ctx, by.Realm, sent.sender, sent.last, s.limits.batch)
		if err != nil {
			return err
		}
		if more = len(fs) == s.limits.batch; len(fs) == 0 {
			break
		}
		// Read the inbox after the messages: a subscription that begins in between does not include them.
		in, err := s.Inbox(ctx, by.User)
		if err != nil {
			return err
		}
		for _, f := range fs {
			if in.Live(f.message()) {
				live = append(live, f)
			}
		}
		sent.last = fs[len(fs)-1].ID
	}
	if len(live) > 0 {
		sent.facts = merge(sent.facts, live)
	}
	return nil
}

// markSentRead marks the sender's messages as read and returns the IDs of those that were unread. The realm must be
// locked.
func (s *Service) markSentRead(
	ctx context.Context,
	v *directory.View,
	by user.Actor,
	sent sentMessages,
) ([]message.ID, error) {
	p, old, err := s.states.loadWhole(ctx, v, by.User)
	if err != nil {
		return nil, err
	}
	if err := s.extend(ctx, by, &sent); err != nil {
		return nil, err
	}
	added, err := s.finder.facts.byID(ctx, by.Realm, p.state.Unread.Union(old).Minus(sent.loadedIDs))
	if err != nil {
		return nil, err
	}
	unread := func(fs []fact) (ids readstate.IDs) {
		for _, f := range fs {
			if f.Sender == sent.sender && p.Unread(&p.state, f.message(), old.Has(f.ID)) {
				ids = append(ids, f.ID)
			}
		}
		return ids
	}
	// Messages read before the realm was locked may have been moved or deleted, so read the unread ones again.
	now, err := s.finder.facts.byID(ctx, by.Realm, unread(merge(added, sent.facts)))
	if err != nil {
		return nil, err
	}
	changed := unread(now)
	if err := s.states.clearOld(ctx, by.User, changed.And(old)); err != nil {
		return nil, err
	}
	p.state.Forget(changed)
	return changed, s.states.saveAll(ctx, map[user.ID]*userState{by.User: p})
}
