package realm

import (
	"context"
	"errors"
	"fmt"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// ended is the last event that a realm's clients receive.
type ended struct {
	Realm realm.ID `json:"realm_id"`
}

var (
	deactivated = kit.Event[ended]("realm", "deactivated")
	// reactivated logs that a realm was reactivated. No clients can receive it yet.
	reactivated = kit.Event[kit.None]("realm", "reactivated").Internal()
	// expired logs that a realm can no longer be reactivated.
	expired = kit.Event[kit.None]("realm", "expired").Internal()
)

type deactivateReq struct {
	KeepDays kit.Nullable[int] `json:"deletion_delay_days"` // null: keep the data forever
}

// deactivate handles POST /realm/deactivate. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) deactivate(ctx context.Context, a kit.Actor, in deactivateReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, _, err := s.ownedRealm(ctx, a); err != nil {
			return err
		}
		var days *int
		if in.KeepDays.Given && !in.KeepDays.Null {
			days = &in.KeepDays.Value
		}
		return s.Deactivate(ctx, a.Realm, days)
	})
}

// Deactivate deactivates a realm; see ports.RealmStates.
func (s *service) Deactivate(ctx context.Context, r realm.ID, keepDays *int) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		now, err := v.Realm().Ended(s.Clock.Now(), keepDays)
		if err != nil {
			return err
		}
		if err := s.save(ctx, v.Realm(), now, deactivated.To(r, event.Everyone(), ended{r})); err != nil {
			return err
		}
		return s.Hooks.Run(ctx, &realm.Deactivated{Realm: r})
	})
}

// Reactivate reactivates a realm; see ports.RealmStates.
func (s *service) Reactivate(ctx context.Context, r realm.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		now, err := v.Realm().Resumed()
		if err != nil {
			return err
		}
		if err := s.Hooks.Run(ctx, &realm.Reactivating{Realm: r}); err != nil {
			return err
		}
		return s.save(ctx, v.Realm(), now, reactivated.To(r, event.None(), kit.None{}))
	})
}

// Due implements ports.RealmStates.
func (s *service) Due(ctx context.Context) ([]realm.ID, error) {
	due, err := s.store.Expired(ctx, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	var failed error // the joined errors of all realms
	for _, r := range due {
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.expire(ctx, r) }); err != nil {
			failed = errors.Join(failed, fmt.Errorf("realm %d: %w", r, err))
		}
	}
	ids, err := s.store.Deleting(ctx)
	return ids, errors.Join(failed, err)
}

// expire marks a realm as being deleted, unless it has been reactivated in the meantime.
func (s *service) expire(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	now, over := v.Realm().Expired(s.Clock.Now())
	if !over {
		return nil
	}
	return s.expired(ctx, v.Realm(), now)
}

// expired stores that a realm can no longer be reactivated.
func (s *service) expired(ctx context.Context, old, now *realm.Realm) error {
	return s.save(ctx, old, now, expired.To(old.ID, event.None(), kit.None{}))
}

// Forget implements ports.RealmStates.
func (s *service) Forget(ctx context.Context, r realm.ID) error {
	s.Work.AfterCommit(ctx, func(context.Context) { s.cache.invalidate() })
	return s.store.Delete(ctx, r)
}

// Delete has a deactivated realm deleted; see ports.RealmStates.
func (s *service) Delete(ctx context.Context, r realm.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		now, err := v.Realm().Doomed(s.Clock.Now())
		if err != nil {
			return err
		}
		return s.expired(ctx, v.Realm(), now)
	})
}
