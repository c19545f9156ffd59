package realm

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// defaultUpdated is the event for a change to one default setting of new users.
var defaultUpdated = kit.Event[property]("realm_user_settings_defaults", "update")

// patchDefaults handles PATCH /realm/user_settings_defaults. It applies all changes or none. Errors: BadRequest,
// UnauthorizedPrincipal.
func (s *service) patchDefaults(ctx context.Context, a kit.Actor, in user.Patch) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		_, old, err := s.administeredRealm(ctx, a)
		if err != nil {
			return err
		}
		now, changes, err := old.WithUserDefaults(setting.Given(in))
		if err != nil || len(changes) == 0 {
			return err
		}
		events := make([]event.Event, len(changes))
		for i, c := range changes {
			events[i] = defaultUpdated.To(a.Realm, event.Everyone(), property{c.Name, c.Value})
		}
		return s.save(ctx, old, now, events...)
	})
}

// administeredRealm returns the view and the realm. The caller must be an administrator in the view; the role may have
// changed since the request arrived. Errors: UnauthorizedPrincipal.
func (s *service) administeredRealm(ctx context.Context, a kit.Actor) (*directory.View, *realm.Realm, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	if err := permission.CheckRole(v, a, user.Admin); err != nil {
		return nil, nil, err
	}
	return v, v.Realm(), nil
}

// defaultsSection returns the default settings of new users.
func (s *service) defaultsSection(ctx context.Context, a kit.Actor, _ event.Client) (map[string]any, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	keys := v.Realm().NewUserSettings().Choices()
	delete(keys, "timezone")
	return map[string]any{"realm_user_settings_defaults": keys}, nil
}

// withDerivedDefaults appends events for default settings of new users that are derived from changed settings of the
// realm.
func withDerivedDefaults(old, now *realm.Realm, events []event.Event) []event.Event {
	if was, is := old.NewUserSettings().DefaultLanguage, now.NewUserSettings().DefaultLanguage; was != is {
		events = append(events, defaultUpdated.To(now.ID, event.Everyone(), property{"default_language", is}))
	}
	return events
}
