package accounts

import (
	"context"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type updateReq struct {
	User     string     `json:"user_id"` // or an email address
	FullName *string    `json:"full_name"`
	Role     *user.Role `json:"role"`
	NewEmail *string    `json:"new_email"`

	Profile *[]profilefield.Given `json:"profile_data"`
}

// update handles PATCH /users/{user_id}. It applies all changes or none.
func (s *service) update(ctx context.Context, a kit.Actor, in updateReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.administered(ctx, a, in.User)
		if err != nil {
			return err
		}
		now := *old
		if in.FullName != nil {
			if now.FullName, err = checkNewName(v, old, *in.FullName); err != nil {
				return err
			}
		}
		if in.Role != nil && *in.Role != old.Role {
			if err := checkRoleChange(v, a, old, *in.Role); err != nil {
				return err
			}
			now.Role = *in.Role
		}
		if in.NewEmail != nil && *in.NewEmail != old.DeliveryEmail {
			if now.DeliveryEmail, err = s.newEmail(v, a, old, *in.NewEmail); err != nil {
				return err
			}
		}
		if err := s.save(ctx, a, old, &now); err != nil || in.Profile == nil {
			return err
		}
		return s.setProfile(ctx, a, old.ID, *in.Profile)
	})
}

// setProfile sets custom profile fields. The module that stores them does so in a hook. Errors: BadRequest.
func (s *service) setProfile(ctx context.Context, a kit.Actor, u user.ID, values []profilefield.Given) error {
	if len(values) > 0 && !kit.Handled[profilefield.SettingValues](s.Collected) {
		return profilefield.ErrNotFound(values[0].ID)
	}
	return s.Hooks.Run(ctx, &profilefield.SettingValues{Realm: a.Realm, By: a, User: u, Values: values})
}

// Amend changes a user; see ports.BotAccounts.
func (s *service) Amend(ctx context.Context, by user.Actor, id user.ID, c ports.UserChange) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, by.Realm)
		if err != nil {
			return err
		}
		old := v.User(id)
		if old == nil || old.System {
			return errNoSuchUser()
		}
		now := *old
		if c.FullName != nil {
			if now.FullName, err = checkNewName(v, old, *c.FullName); err != nil {
				return err
			}
		}
		if c.Role != nil && *c.Role != old.Role {
			if err := checkRoleChange(v, by, old, *c.Role); err != nil {
				return err
			}
			now.Role = *c.Role
		}
		if c.Email != nil && *c.Email != old.DeliveryEmail {
			if now.DeliveryEmail, err = s.checkNewEmail(v, old, *c.Email); err != nil {
				return err
			}
		}
		if c.BotOwner == nil || *c.BotOwner == old.BotOwner {
			return s.save(ctx, by, old, &now)
		}
		now.BotOwner, now.Keys = *c.BotOwner, nil
		if err := s.dropKeys(ctx, by, old); err != nil {
			return err
		}
		if err := s.save(ctx, by, old, &now); err != nil || !now.Active { // inactive bots get a key later
			return err
		}
		_, err = s.RenewKey(ctx, by, id)
		return err
	})
}

// administered returns the user whose ID or email address is name. The caller must be an administrator or the owner of
// the bot. Errors: BadRequest, UnauthorizedPrincipal, Unauthorized.
func (s *service) administered(ctx context.Context, a kit.Actor, name string) (*directory.View, *user.User, error) {
	if a.System {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return nil, nil, err
		}
		id, _ := strconv.ParseInt(name, 10, 64)
		if u := v.User(user.ID(id)); u != nil && !u.System {
			return v, u, nil
		}
		return nil, nil, errNoSuchUser()
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return nil, nil, err
	}
	u := find(v, me, name)
	switch {
	case u == nil || u.System:
		return nil, nil, errNoSuchUser()
	case permission.ChangesUser(me, u):
		return v, u, nil
	}
	return nil, nil, permission.RoleRequired(user.Admin)
}

// checkRoleChange checks whether the caller can change u's role. Only owners can promote users to owner or demote
// owners, and the last owner cannot be demoted. Errors: UnauthorizedPrincipal, BadRequest.
func checkRoleChange(v *directory.View, a kit.Actor, u *user.User, to user.Role) error {
	switch {
	case !to.Valid():
		return errs.Bad("Invalid role")
	case permission.Role(v, a) > user.Admin:
		return permission.RoleRequired(user.Admin)
	case !a.System && !permission.Promotes(v.User(a.User), u, to):
		return permission.RoleRequired(user.Owner)
	case permission.LastOwner(v, u):
		return errs.Bad("The owner permission cannot be removed from the only organization owner.")
	}
	return nil
}

func (s *service) newEmail(v *directory.View, a kit.Actor, u *user.User, email string) (string, error) {
	if !s.cfg.ChangeEmails {
		return "", errs.Bad("User not authorized to change user emails")
	}
	if permission.Role(v, a) > user.Owner {
		return "", permission.RoleRequired(user.Owner)
	}
	email, err := s.checkNewEmail(v, u, email)
	if err != nil || u.IsBot() {
		return email, err
	}
	return email, v.Realm().CheckEmail(email)
}

// checkNewEmail checks and normalizes a new email address for u. Errors: BadRequest.
func (s *service) checkNewEmail(v *directory.View, u *user.User, email string) (string, error) {
	email, err := user.CheckEmail(email)
	if err != nil || user.EmailKey(email) == user.EmailKey(u.DeliveryEmail) {
		return email, err
	}
	return email, s.checkUnusedEmail(v, u, email)
}

// save stores a changed user, appends an event for each change, and runs the hooks.
func (s *service) save(ctx context.Context, by user.Actor, old, now *user.User) error {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	entries := changeEvents(v, by.Realm, old, now)
	if len(entries) == 0 {
		return nil
	}
	if err := s.store.Update(ctx, by.Realm, now); err != nil {
		return err
	}
	if err := s.Log.Append(ctx, entries...); err != nil {
		return err
	}
	if now.Settings != old.Settings {
		if err := s.Hooks.Run(ctx, &user.SettingsChanged{Realm: by.Realm, By: by, Old: old, User: now}); err != nil {
			return err
		}
	}
	if now.DeliveryEmail != old.DeliveryEmail && !now.IsBot() {
		if err := s.Hooks.Run(ctx, &user.LoginChanged{Realm: by.Realm, By: by, Old: old, User: now}); err != nil {
			return err
		}
	}
	if now.Role == old.Role {
		return nil
	}
	if err := s.Hooks.Run(ctx, &user.RoleChanged{Realm: by.Realm, By: by, Old: old, User: now}); err != nil {
		return err
	}
	return s.demoteBots(ctx, by, old, now)
}

// demoteBots demotes the bots of a demoted user, because the user can read their keys. The caller needs no permission
// to change the bots.
func (s *service) demoteBots(ctx context.Context, by user.Actor, old, owner *user.User) error {
	if owner.Role <= old.Role || owner.IsBot() {
		return nil
	}
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	for _, b := range permission.BotsAboveOwner(v, owner) {
		now := *b
		now.Role = owner.Role
		if err := s.save(ctx, by, b, &now); err != nil {
			return err
		}
	}
	return nil
}

// changeEvents returns the events for a changed user. The first one carries the change of shared facts.
func changeEvents(v *directory.View, r realm.ID, old, now *user.User) []event.Event {
	var entries []event.Event
	all := event.Seeing(now.ID)
	add := func(p changed) { entries = append(entries, userUpdated.To(r, all, p)) }
	if now.FullName != old.FullName {
		add(personOf(now.ID, "full_name", now.FullName))
	}
	if now.Role != old.Role {
		add(personOf(now.ID, "role", now.Role))
	}
	if now.BotOwner != old.BotOwner {
		add(personOf(now.ID, "bot_owner_id", now.BotOwner))
	}
	if !now.Joined.Equal(old.Joined) {
		add(personOf(now.ID, "date_joined", joinedText(now)))
	}
	domain := domainOf(v)
	if now.Settings.Timezone != old.Settings.Timezone {
		p := personOf(now.ID, "timezone", now.Settings.Timezone)
		p.Person["email"] = now.APIEmail(domain)
		add(p)
	}
	was, is := old.Settings.EmailAddressVisibility, now.Settings.EmailAddressVisibility
	if now.IsBot() { // everyone can see a bot's address
		was, is = user.EveryoneSees, user.EveryoneSees
	}
	if moved := old.DeliveryEmail != now.DeliveryEmail; moved || was != is {
		add(changed{Email: &emailChange{UserID: now.ID, Moved: moved, Was: was, Is: is}})
	}
	if old.APIEmail(domain) != now.APIEmail(domain) {
		add(personOf(now.ID, "new_email", now.APIEmail(domain)))
		add(changed{Avatar: now.ID})
	} else if old.AvatarVersion != now.AvatarVersion {
		add(changed{Avatar: now.ID})
	}
	entries = append(entries, settingEvents(r, old, now)...)
	if len(entries) > 0 {
		entries[0] = entries[0].Changing(directory.OfUser(old, now))
	}
	return entries
}
