package realm

import (
	"context"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// Set implements ports.RealmSettings.
func (s *service) Set(ctx context.Context, r realm.ID, name string, value any) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		old := v.Realm()
		now := *old
		settings, changes, err := old.Settings.With(map[string]any{name: value})
		if err != nil || len(changes) == 0 {
			return err
		}
		now.Settings = settings
		events, err := s.events(ctx, v, &now, changes)
		if err != nil {
			return err
		}
		return s.save(ctx, old, &now, events...)
	})
}

// Announce implements ports.RealmSettings.
func (s *service) Announce(ctx context.Context, r realm.ID, name string, value any) error {
	return s.Log.Append(ctx, updated.To(r, event.Everyone(), property{name, value}))
}
