package status

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/user"
)

// endsPerRound is the maximum number of statuses removed at once.
const endsPerRound = 500

// end is the job that removes statuses at their end.
func (s *service) end(ctx context.Context) error {
	for {
		ended, err := s.rows.Ended(ctx, s.Clock.Now(), endsPerRound)
		if err != nil {
			return err
		}
		n, removed := 0, 0
		var all []error
		for r, us := range ended {
			n += len(us)
			some, err := s.endIn(ctx, r, us)
			removed += some
			all = append(all, err)
		}
		if err := errors.Join(all...); err != nil || n < endsPerRound || removed == 0 {
			return err
		}
	}
}

// endIn removes the statuses of users of one realm, unless they have been changed since, and returns their number.
func (s *service) endIn(ctx context.Context, r realm.ID, us []user.ID) (removed int, err error) {
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		removed = 0
		if _, err := s.Directory.View(ctx, r); err != nil { // serializes the change
			if errs.Is(err, errs.NotFound) { // the realm is being deleted
				return nil
			}
			return err
		}
		now := s.Clock.Now()
		all, err := s.rows.Among(ctx, r, idset.Of(us...))
		if err != nil {
			return err
		}
		var events []event.Event
		for _, u := range us {
			was := all[u]
			if !was.Ended(now) {
				continue
			}
			removed++
			if err := s.rows.Set(ctx, r, u, status.Status{}); err != nil {
				return err
			}
			events = append(events, s.event(r, u, status.Status{}.Differing(was)))
		}
		return s.Log.Append(ctx, events...)
	})
	return removed, err
}
