package reading

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// sentBy is what somebody has sent that a person may have unread. It is read before the realm's lock is taken, however
// much it is, and completed under the lock with what has come since.
type sentBy struct {
	sender user.ID
	facts  []fact        // ascending
	asked  readstate.IDs // facts has those of the sender among these
	last   message.ID    // and all up to this that can be unread by rule; below the floor of the time those asked for are all
}

func (s *Service) sentBy(ctx context.Context, v *directory.View, a kit.Actor, sender user.ID) (sentBy, error) {
	p, old, err := s.person(ctx, v, a.User)
	if err != nil {
		return sentBy{}, err
	}
	sent := sentBy{sender: sender, asked: p.state.Unread.Union(old), last: p.state.Floor}
	for some := range slices.Chunk(sent.asked, s.limits.far) {
		fs, err := s.lookup(ctx, v, a.Realm, some)
		if err != nil {
			return sentBy{}, err
		}
		for _, f := range fs {
			if f.Sender == sender {
				sent.facts = append(sent.facts, f)
			}
		}
	}
	return sent, s.extend(ctx, a, &sent)
}

// extend adds what the sender has sent since, as far as the person has received it, limits.far messages at a time. In a
// realm no message with a lower id appears later; of ids as such that is not so, for realms share them.
func (s *Service) extend(ctx context.Context, a kit.Actor, sent *sentBy) error {
	var live []fact
	for more := true; more; {
		fs, err := s.store.By(ctx, a.Realm, sent.sender, sent.last, s.limits.far)
		if err != nil {
			return err
		}
		if more = len(fs) == s.limits.far; len(fs) == 0 {
			break
		}
		// After the messages, so that what is left out was not received: who subscribes later does not receive it either.
		owns, err := s.store.Owns(ctx, []user.ID{a.User})
		if err != nil {
			return err
		}
		for _, f := range fs {
			if owns[a.User].Live(f.rule()) {
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

// forget marks as read what is unread of somebody who is about to be muted, and gives it. In the realm's lock only.
func (s *Service) forget(ctx context.Context, v *directory.View, a kit.Actor, sent sentBy) ([]message.ID, error) {
	p, old, err := s.person(ctx, v, a.User)
	if err != nil {
		return nil, err
	}
	if err := s.extend(ctx, a, &sent); err != nil {
		return nil, err
	}
	since, err := s.store.Facts(ctx, a.Realm, p.state.Unread.Union(old).Minus(sent.asked))
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
	// What was read before the lock may have moved or gone since: of what counts it is read again.
	now, err := s.store.Facts(ctx, a.Realm, unread(merge(since, sent.facts)))
	if err != nil {
		return nil, err
	}
	changed := unread(now)
	bits := changed.And(old)
	if err := s.clearOld(ctx, a.User, bits); err != nil {
		return nil, err
	}
	p.state.Forget(changed)
	return changed, s.save(ctx, map[user.ID]*person{a.User: p})
}

// clearOld removes somebody's OldUnread bits of some messages.
func (s *Service) clearOld(ctx context.Context, u user.ID, ids readstate.IDs) error {
	if len(ids) == 0 {
		return nil
	}
	flags, err := s.store.FlagsFrom(ctx, u, message.OldUnread, ids[0])
	if err != nil {
		return err
	}
	set := map[mine]message.Flag{}
	for _, id := range ids {
		set[mine{u, id}] = flags[id] &^ message.OldUnread
	}
	return s.store.SetFlags(ctx, set)
}

// liftStep lifts somebody's floor towards the head, over limits.far messages at most, as long as their mutes still
// count; true: it is there.
func (s *Service) liftStep(ctx context.Context, v *directory.View, u user.ID) (bool, error) {
	states, err := s.store.States(ctx, []user.ID{u}, []readstate.Chunk{-1})
	if err != nil {
		return false, err
	}
	p := &person{Reader: s.reader(v, u)}
	if st := states[u]; st != nil {
		p.state, p.before = *st, *st
	}
	head, err := s.store.Head(ctx)
	if err != nil || p.state.Floor >= head {
		return err == nil, err
	}
	all := map[user.ID]*person{u: p}
	if err := s.liftFar(ctx, all, []user.ID{u}, head, s.limits.far); err != nil {
		return false, err
	}
	return p.state.Floor >= head, s.save(ctx, all)
}
