package readstate

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// Import marks imported messages as unread, and everything else up to a message as read. The realm must be locked.
func (s *Service) Import(ctx context.Context, unread map[user.ID][]message.ID, upto message.ID) error {
	if len(unread) == 0 {
		return nil
	}
	var touched readstate.IDs
	for _, ids := range unread {
		touched = touched.Union(idset.Of(ids...))
	}
	us := slices.Sorted(maps.Keys(unread))
	states, err := s.states.load(ctx, us, readstate.Chunks(touched))
	if err != nil {
		return err
	}
	changes := make([]change, 0, len(us))
	for _, u := range us {
		var before readstate.State
		if states[u] != nil {
			before = *states[u]
		}
		now := before
		now.Floor = max(now.Floor, upto)
		now.Unread = now.Unread.Union(idset.Of(unread[u]...))
		changes = append(changes, change{User: u, Before: before, Now: &now})
	}
	return s.states.save(ctx, changes)
}

// ReadUpTo marks everything up to a message as read that is not marked as unread. The realm must be locked.
func (s *Service) ReadUpTo(ctx context.Context, us []user.ID, upto message.ID) error {
	for some := range slices.Chunk(us, block) {
		if err := s.states.raiseTo(ctx, some, upto); err != nil {
			return err
		}
	}
	return nil
}
