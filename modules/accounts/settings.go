package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// patch holds the settings that users can change.
type patch struct {
	user.Patch
	Timezone *string `json:"timezone"`
}

type settingsReq struct {
	patch
	FullName    *string  `json:"full_name"`
	Email       *string  `json:"email"`
	OldPassword *string  `json:"old_password"`
	NewPassword *string  `json:"new_password"`
	Targets     *targets `json:"target_users"`
}

// changeSettings handles PATCH /settings. It applies all changes or none. A new name is ignored if the realm has
// disabled name changes. A new email address must be confirmed first; see requestEmail. A new password does not revoke
// API keys.
func (s *service) changeSettings(ctx context.Context, a kit.Actor, in settingsReq) (kit.None, error) {
	if in.Targets != nil {
		return kit.None{}, s.changeOthers(ctx, a, in)
	}
	fresh, err := s.newPassword(ctx, a, in)
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := kit.Caller(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		now := *old
		var changes []setting.Change
		if now.Settings, changes, err = old.Settings.With(setting.Given(in.patch)); err != nil {
			return err
		}
		if err := s.store.Edited(ctx, a.User, changes); err != nil {
			return err
		}
		if in.FullName != nil && permission.ChangesOwnName(v, old) {
			if now.FullName, err = checkNewName(v, old, *in.FullName); err != nil {
				return err
			}
		}
		if fresh != nil {
			if err := s.replacePassword(ctx, v, a.User, fresh); err != nil {
				return err
			}
		}
		if err := s.save(ctx, a, old, &now); err != nil {
			return err
		}
		if fresh != nil {
			m := &user.LoginChanged{Realm: a.Realm, By: a, Old: old, User: &now, Password: true}
			if err := s.Hooks.Run(ctx, m); err != nil {
				return err
			}
		}
		return s.requestEmail(ctx, v, a, &now, in.Email)
	})
}

// Set changes one setting; see ports.UserSettings.
func (s *service) Set(ctx context.Context, by user.Actor, u user.ID, name string, value any) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, by.Realm)
		if err != nil {
			return err
		}
		old := v.User(u)
		if old == nil {
			return errNoSuchUser()
		}
		now := *old
		if now.Settings, _, err = old.Settings.With(map[string]any{name: value}); err != nil {
			return err
		}
		return s.save(ctx, by, old, &now)
	})
}

// settingEvents returns an event to the user for each setting that differs.
func settingEvents(r realm.ID, old, now *user.User) []event.Event {
	var out []event.Event
	was, is := setting.Values(old.Settings), setting.Values(now.Settings)
	for _, row := range user.Rows() {
		if was[row.Name] == is[row.Name] {
			continue
		}
		p := settingEvent{Property: row.Name, Value: is[row.Name]}
		if row.Name == "default_language" {
			p.LanguageName = setting.LanguageName(now.Settings.DefaultLanguage)
		}
		out = append(out, settingUpdated.To(r, event.To(now.ID), p))
	}
	return out
}

// settingsSection returns the caller's settings.
func (s *service) settingsSection(ctx context.Context, a kit.Actor, _ event.Client) (map[string]any, error) {
	if a.User == 0 {
		return s.settingsForSpectators(ctx, a)
	}
	_, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return nil, err
	}
	return map[string]any{"user_settings": me.Settings.Choices()}, nil
}
