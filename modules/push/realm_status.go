package push

import (
	"context"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
)

// Names of realm properties in events. In /register they have the prefix realm_.
const (
	enabledKey = "push_notifications_enabled"
	endsKey    = "push_notifications_enabled_end_timestamp"
)

// describeRealm answers realm.Description: whether push notifications are available on the server and for the realm.
func (s *service) describeRealm(ctx context.Context, q realm.Description) (map[string]any, error) {
	out := map[string]any{}
	if q.Asks(enabledKey) {
		out[enabledKey] = s.Service.Configured()
	}
	if !q.Asks("realm_"+enabledKey) || !s.Service.Configured() {
		return out, nil
	}
	now, err := s.store.Standing(ctx, q.Realm)
	for name, value := range s.standingKeys(now) {
		out["realm_"+name] = value
	}
	return out, err
}

// standingKeys returns the realm properties that clients receive.
func (s *service) standingKeys(now push.Standing) map[string]any {
	out := map[string]any{enabledKey: s.Service.Configured() && now.CanPush, endsKey: nil}
	if now.Ends != nil {
		out[endsKey] = *now.Ends
	}
	return out
}

// setStanding stores the push service's report on a realm and notifies clients of changes. It does nothing if now is
// nil: the service did not report on the realm.
func (s *service) setStanding(ctx context.Context, r realm.ID, now *push.Standing) error {
	if now == nil {
		return nil
	}
	if old, err := s.store.Standing(ctx, r); err != nil || old.Equal(*now) {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, r); err != nil {
			return err
		}
		old, err := s.store.Standing(ctx, r)
		if err != nil {
			return err
		}
		if err := s.store.SetStanding(ctx, r, *now); err != nil {
			return err
		}
		before, after := s.standingKeys(old), s.standingKeys(*now)
		for _, name := range []string{enabledKey, endsKey} {
			if before[name] == after[name] {
				continue
			}
			if err := s.Realm.Announce(ctx, r, name, after[name]); err != nil {
				return err
			}
		}
		return nil
	})
}
