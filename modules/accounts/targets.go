package accounts

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// targets selects the users whose settings an administrator changes.
type targets struct {
	UserIDs    []user.ID  `json:"user_ids"`
	GroupIDs   []group.ID `json:"group_ids"`              // selects the active people in these groups
	SkipEdited bool       `json:"skip_if_already_edited"` // keep settings that users have changed
}

// maxTargets is the maximum number of users per request.
const maxTargets = 10000

// changeOthers changes settings of other users. It applies all changes to all of them, or none. It cannot change names,
// passwords and the like. Only owners can change an owner's settings if they affect what others see. Errors:
// BadRequest, UnauthorizedPrincipal.
func (s *service) changeOthers(ctx context.Context, a kit.Actor, in settingsReq) error {
	if in.FullName != nil || in.Email != nil || in.OldPassword != nil || in.NewPassword != nil || in.Timezone != nil {
		return errs.Bad("Name, address, password and time zone of other users can't be changed with 'target_users'.")
	}
	asked := setting.Given(in.patch)
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if permission.Role(v, a) > user.Admin {
			return permission.RoleRequired(user.Admin)
		}
		who, err := in.Targets.people(v)
		if err != nil {
			return err
		}
		if _, _, err := user.Defaults().With(asked); err != nil { // check the values even if there are no targets
			return err
		}
		edited, err := s.editedSettings(ctx, in.Targets.SkipEdited, who, asked)
		if err != nil {
			return err
		}
		var changed []*user.User
		var entries []event.Event
		for _, id := range who {
			old := v.User(id)
			now := *old
			var changes []setting.Change
			if now.Settings, changes, err = old.Settings.With(without(asked, edited[id])); err != nil {
				return err
			}
			visible := visibleSettingsOf(now.Settings) != visibleSettingsOf(old.Settings)
			if visible && id != a.User && !permission.Outranks(v.User(a.User), old) {
				return permission.RoleRequired(user.Owner)
			}
			if id == a.User {
				if err := s.store.Edited(ctx, id, changes); err != nil {
					return err
				}
			}
			if changeEntries := changeEvents(v, a.Realm, old, &now); len(changeEntries) > 0 {
				changed, entries = append(changed, &now), append(entries, changeEntries...)
			}
		}
		if len(changed) == 0 {
			return nil
		}
		if err := s.store.UpdateSettings(ctx, a.Realm, changed); err != nil {
			return err
		}
		if err := s.Log.Append(ctx, entries...); err != nil {
			return err
		}
		for _, now := range changed {
			if err := s.Hooks.Run(ctx, &user.SettingsChanged{Realm: a.Realm, By: a, Old: v.User(now.ID),
				User: now}); err != nil {
				return err
			}
		}
		return nil
	})
}

// visibleSettings holds the settings of a user that affect what others see.
type visibleSettings struct {
	address                                    int
	online, reads, typesInDMs, typesInChannels bool
}

func visibleSettingsOf(s user.Settings) visibleSettings {
	return visibleSettings{
		s.EmailAddressVisibility,
		s.PresenceEnabled,
		s.SendReadReceipts,
		s.SendPrivateTypingNotifications,
		s.SendStreamTypingNotifications,
	}
}

// people returns the selected users. Errors: BadRequest.
func (t *targets) people(v *directory.View) (user.Set, error) {
	for _, id := range t.UserIDs {
		if u := v.User(id); u == nil || !u.Active || u.IsBot() {
			return nil, errs.Bad("Invalid user ID: %d", id)
		}
	}
	who := idset.Of(t.UserIDs...)
	for _, id := range t.GroupIDs {
		g := v.Group(id)
		switch {
		case g == nil:
			return nil, errs.Bad("Invalid user group ID: %d", id)
		case g.Deactivated:
			return nil, errs.Bad("User group is deactivated.")
		}
		members := permission.Members(v, group.Named(id))
		who = who.Union(
			idset.Of(slices.DeleteFunc(slices.Clone(members), func(id user.ID) bool { return v.User(id).IsBot() })...),
		)
	}
	if len(who) > maxTargets {
		return nil, errs.Bad("Too many users (limit: %d)", maxTargets)
	}
	return who, nil
}

// editedSettings returns, for each user, the settings that must not be changed because the user has changed them
// personally. It returns none unless asked is set.
func (s *service) editedSettings(
	ctx context.Context,
	asked bool,
	who user.Set,
	settings map[string]any,
) (map[user.ID][]string, error) {
	if !asked || len(who) == 0 || len(settings) == 0 {
		return nil, nil
	}
	return s.store.EditedBy(ctx, who, settings)
}

// without returns asked without the given names.
func without(asked map[string]any, names []string) map[string]any {
	if len(names) == 0 {
		return asked
	}
	left := make(map[string]any, len(asked))
	for name, value := range asked {
		if !slices.Contains(names, name) {
			left[name] = value
		}
	}
	return left
}
