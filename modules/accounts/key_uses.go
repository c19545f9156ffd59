package accounts

import (
	"context"
	"slices"
	"sync"

	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// keyUse is where a key was used.
type keyUse struct{ from, client string }

// keyUses collects the keys of people that were used on this node since the last save.
type keyUses struct {
	mu sync.Mutex
	of map[user.KeyHash]keyUse // the keys have been checked, so the map is bounded
}

// Used notes who uses a key of a person; see ports.Authenticator.
func (s *service) Used(a user.Actor) {
	if a.Key == "" || a.Bot != user.Human {
		return
	}
	s.uses.mu.Lock()
	defer s.uses.mu.Unlock()
	if s.uses.of == nil {
		s.uses.of = map[user.KeyHash]keyUse{}
	}
	s.uses.of[a.Key] = keyUse{a.From, session.Agent(a.Agent)}
}

// take returns the keys that were used, and resets them.
func (u *keyUses) take() map[keyUse][]user.KeyHash {
	u.mu.Lock()
	defer u.mu.Unlock()
	of := map[keyUse][]user.KeyHash{}
	for h, use := range u.of {
		of[use] = append(of[use], h)
	}
	u.of = nil
	return of
}

// keysPerStatement is how many keys a statement changes.
const keysPerStatement = 1000

// saveKeyUses is the job that stores when and where keys were used lately.
func (s *service) saveKeyUses(ctx context.Context) error {
	now := s.Clock.Now()
	for use, hashes := range s.uses.take() {
		slices.Sort(hashes) // nodes that write concurrently lock rows in the same order
		for some := range slices.Chunk(hashes, keysPerStatement) {
			err := s.Work.Do(ctx, func(ctx context.Context) error { return s.store.SetKeysUsed(ctx, some, use, now) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
