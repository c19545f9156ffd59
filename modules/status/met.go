package status

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/user"
)

// perEntry is how many people one entry of the log tells of at most.
const perEntry = 500

// met tells those who come to know of others what these say, after they have been told who they are. Of whom one knows no more
// nothing is told.
func (s *service) met(ctx context.Context, m *directory.Changed) error {
	var all map[user.ID]status.Status
	for _, e := range permission.Encounters(m) {
		if len(e.Gained) == 0 {
			continue
		}
		if all == nil {
			var err error
			if all, err = s.rows.All(ctx, m.Realm); err != nil {
				return err
			}
		}
		var say []map[string]any
		for _, u := range e.Gained {
			fields := all[u].Differing(status.Status{})
			if who := m.After.User(u); who != nil && away(who) {
				fields["away"] = true
			}
			if len(fields) > 0 {
				fields["user_id"] = u
				say = append(say, fields)
			}
		}
		for part := range slices.Chunk(say, perEntry) {
			if err := s.Log.Append(ctx, changed.To(m.Realm, event.To(e.Guest), told{All: part})); err != nil {
				return err
			}
		}
	}
	return nil
}
