package push

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
)

// removeDeadTokens removes tokens that the push service reports as invalid, and notifies the owners of their devices.
func (s *service) removeDeadTokens(ctx context.Context, r realm.ID, report push.ServiceReport) error {
	if len(report.Dead) == 0 {
		return nil
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, r); err != nil {
			return err
		}
		all, err := s.store.WithTokens(ctx, r, slices.Sorted(maps.Keys(report.Dead)))
		if err != nil || len(all) == 0 {
			return err
		}
		ids := make([]push.DeviceID, len(all))
		events := make([]event.Event, len(all))
		for i, d := range all {
			ids[i], events[i] = d.ID, deviceUpdated.To(r, event.To(d.User), fieldsOf(d, d.Unregister()))
		}
		if err := s.store.Unregister(ctx, ids); err != nil {
			return err
		}
		return s.Log.Append(ctx, events...)
	})
}
