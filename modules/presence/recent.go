package presence

import (
	"context"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// recentlyActive answers user.RecentlyActive. It includes users who hide their presence, because callers use only the
// set as a whole and never reveal whether a particular user is in it.
func (s *service) recentlyActive(ctx context.Context, q user.RecentlyActive) (user.Set, error) {
	rows, err := s.query(ctx, q.Realm, &query{since: q.Since, snapshot: true})
	if err != nil {
		return nil, err
	}
	var us []user.ID
	for _, r := range rows {
		if !r.ActiveAt.IsZero() && !r.ActiveAt.Before(q.Since) {
			us = append(us, r.UserID)
		}
	}
	return idset.Of(us...), nil
}
