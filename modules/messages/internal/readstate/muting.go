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

// sentBy is what a user has sent that another may have unread. It is read before the realm's lock is taken, however
// much it is, and completed under the lock.
type sentBy struct {
	sender user.ID
	facts  []fact        // ascending
	asked  readstate.IDs // facts contains the sender's messages among these
	last   message.ID    // and all of the sender's up to this id that the rules can make unread
}

// BeforeMute implements ports.ReadStates.
func (s *Service) BeforeMute(
	ctx context.Context,
	v *directory.View,
	by user.Actor,
	sender user.ID,
) (func(context.Context, *directory.View) ([]event.Event, error), error) {
	sent, err := s.sentBy(ctx, v, by, sender)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, v *directory.View) ([]event.Event, error) {
		changed, err := s.forget(ctx, v, by, sent)
		if err != nil || len(changed) == 0 {
			return nil, err
		}
		return []event.Event{flags.Added(by.Realm, by.User, message.NameRead, changed)}, nil
	}, nil
}

// BeforeUnmute implements ports.ReadStates.
func (s *Service) BeforeUnmute(ctx context.Context, v *directory.View, by user.Actor) (bool, error) {
	return s.states.raiseStep(ctx, v, by.User)
}

func (s *Service) sentBy(ctx context.Context, v *directory.View, by user.Actor, sender user.ID) (sentBy, error) {
	p, old, err := s.states.whole(ctx, v, by.User)
	if err != nil {
		return sentBy{}, err
	}
	sent := sentBy{sender: sender, asked: p.state.Unread.Union(old), last: p.state.Floor}
	for some := range slices.Chunk(sent.asked, s.limits.far) {
		fs, err := s.finder.lookup(ctx, v, by.Realm, some)
		if err != nil {
			return sentBy{}, err
		}
		for _, f := range fs {
			if f.Sender == sender {
				sent.facts = append(sent.facts, f)
			}
		}
	}
	return sent, s.extend(ctx, by, &sent)
}

// extend adds what the sender has sent since and the user has received, limits.far messages at a time. Within a realm
// no message with a lower id appears later; ids in general do not rise like that, for realms share them.
func (s *Service) extend(ctx context.Context, by user.Actor, sent *sentBy) error {
	var live []fact
	for more := true; more; {
		fs, err := s.finder.facts.by(ctx, by.Realm, sent.sender, sent.last, s.limits.far)
		if err != nil {
			return err
		}
		if more = len(fs) == s.limits.far; len(fs) == 0 {
			break
		}
		// The inbox is read after the messages: users who subscribe in between have not received them either.
		in, err := s.Inbox(ctx, by.User)
		if err != nil {
			return err
		}
		for _, f := range fs {
			if in.Live(f.rule()) {
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

// forget marks as read what the sender sent, and returns the ids that were unread. It requires the realm's lock.
func (s *Service) forget(ctx context.Context, v *directory.View, by user.Actor, sent sentBy) ([]message.ID, error) {
	p, old, err := s.states.whole(ctx, v, by.User)
	if err != nil {
		return nil, err
	}
	if err := s.extend(ctx, by, &sent); err != nil {
		return nil, err
	}
	since, err := s.finder.facts.byID(ctx, by.Realm, p.state.Unread.Union(old).Minus(sent.asked))
	if err != nil {
		return nil, err
	}
	unread := func(fs []fact) (ids readstate.IDs) {
		for _, f := range fs {
			if f.Sender == sent.sender && p.Unread(&p.state, f.rule(), old.Has(f.ID)) {
				ids = append(ids, f.ID)
			}
		}
		return ids
	}
	// Messages read before the lock may have been moved or deleted since: read those that count again.
	now, err := s.finder.facts.byID(ctx, by.Realm, unread(merge(since, sent.facts)))
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
