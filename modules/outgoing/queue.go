package outgoing

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// sent queues the calls for new messages in the commit that sends them.
func (s *service) sent(ctx context.Context, m *message.Sent) error {
	return s.enqueue(ctx, m.Realm, m.Calls)
}

// edited queues the calls for bots that an edit newly mentions, in the commit of the edit.
func (s *service) edited(ctx context.Context, m *message.Edited) error {
	if len(m.Calls) == 0 {
		return nil
	}
	calls, err := s.store.WithoutCall(ctx, m.After.ID, m.Calls)
	if err != nil || len(calls) == 0 {
		return err
	}
	return s.enqueue(ctx, m.Realm, map[message.ID]user.Set{m.After.ID: calls})
}

// enqueue queues a call for each bot of each message. If an owner has too many queued calls, one call is queued as
// dropped, so that the owner is notified.
func (s *service) enqueue(ctx context.Context, r realm.ID, calls map[message.ID]user.Set) error {
	if len(calls) == 0 {
		return nil
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	var all []row
	var owners user.Set
	for _, id := range slices.Sorted(maps.Keys(calls)) {
		for _, b := range calls[id][:min(s.cfg.PerMessage, len(calls[id]))] {
			call := row{RealmID: r, BotID: b, OwnerID: b, MessageID: id, DueAt: now, CreatedAt: now}
			if u := v.User(b); u != nil && u.BotOwner != 0 {
				call.OwnerID = u.BotOwner
			}
			all, owners = append(all, call), owners.Union(user.Set{call.OwnerID})
		}
	}
	w, err := s.store.Waiting(ctx, owners)
	if err != nil {
		return err
	}
	var add []row
	for _, r := range all {
		switch {
		case w.bots[r.BotID] < s.cfg.MaxWaiting && w.owners[r.OwnerID] < s.cfg.MaxWaitingOwner:
			w.bots[r.BotID]++
			w.owners[r.OwnerID]++
		case !w.notified[r.OwnerID]:
			r.Dropped, w.notified[r.OwnerID] = true, true
		default:
			continue
		}
		add = append(add, r)
	}
	s.Work.AfterCommit(ctx, s.backlog.Added)
	return s.store.Add(ctx, add)
}

// run is the job that makes calls one by one. A call is removed from the queue in the transaction that posts its
// answer, so that an interrupted call is repeated.
func (s *service) run(ctx context.Context) error {
	var served []user.ID
	for range callsPerRun {
		owner, err := s.serveNext(ctx, served)
		if err != nil || owner == 0 {
			return err
		}
		served = append(served, owner)
	}
	return nil
}

// serveNext makes the next call, and returns the owner of its bot, or 0 if no call is due.
func (s *service) serveNext(ctx context.Context, served []user.ID) (user.ID, error) {
	ctx, holder, done := s.Node.Hold(ctx)
	defer done()
	r, err := s.next(ctx, holder, served)
	if err != nil || r == nil {
		return 0, err
	}
	defer s.working.End(r.ID)
	return r.OwnerID, s.serve(ctx, r)
}

// limits are the maximum numbers of concurrent calls for one bot, one owner and one realm.
type limits struct{ bot, owner, realm int }

// limits returns limits that leave capacity for other owners in the realm and for other realms.
func (c Config) limits() limits {
	return limits{c.PerBot, (c.AtOnce + 1) / 2, c.AtOnce - c.AtOnce/4}
}

// next claims the call that has been due longest, or returns nil. It prefers owners who have no call in progress and
// were not served in this run, so that a single call does not wait for a hundred calls of another owner.
func (s *service) next(ctx context.Context, holder string, served []user.ID) (*row, error) {
	for {
		now, limit, w := s.Clock.Now(), s.cfg.limits(), worker{holder, s.working.IDs()}
		r, err := s.store.Next(ctx, w, now, limits{1, 1, limit.realm}, served)
		if err == nil && r == nil {
			r, err = s.store.Next(ctx, w, now, limit, nil)
		}
		if err != nil || r == nil {
			return nil, err
		}
		if s.working.Begin(r.ID) {
			claimed, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) {
				return s.store.Claim(ctx, r, holder, now)
			})
			if err == nil && claimed {
				r.Tries++
				return r, nil
			}
			s.working.End(r.ID)
			if err != nil {
				return nil, err
			}
		}
		// Another worker has claimed it.
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// discard removes a call from the queue without posting an answer.
func (s *service) discard(ctx context.Context, r *row) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		_, err := s.store.Remove(ctx, r)
		return err
	})
}

// postpone schedules another attempt of a call. The current attempt counts only if made is true.
func (s *service) postpone(ctx context.Context, r *row, made bool) error {
	at, tries := s.Clock.Now(), r.Tries
	if made {
		at = at.Add(s.cfg.FirstRetry << (tries - 1))
	} else {
		tries--
	}
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.Postpone(ctx, r, at, tries) })
}
