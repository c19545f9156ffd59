package presence

import (
	"context"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// recent answers who was there since a time. People who do not want to be seen are not told apart: only that they are
// among some is made of it.
func (s *service) recent(ctx context.Context, m *user.Recent) error {
	rows, err := s.asked(ctx, m.Realm, &query{since: m.Since, snapshot: true})
	if err != nil {
		return err
	}
	var us []user.ID
	for _, r := range rows {
		if !r.ActiveAt.IsZero() && !r.ActiveAt.Before(m.Since) {
			us = append(us, r.UserID)
		}
	}
	m.Users, m.Known = m.Users.Union(idset.Of(us...)), true
	return nil
}
