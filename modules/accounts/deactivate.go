package accounts

import (
	"context"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type userReq struct {
	User user.ID `json:"user_id"`
}

type deactivateReq struct {
	User    user.ID       `json:"user_id"`
	Comment *string       `json:"deactivation_notification_comment"`
	Actions user.Deletion `json:"actions" default:"{}"`
}

// deactivate handles DELETE /users/{user_id}. Owners of bots can deactivate them, but only administrators can delete
// profiles and messages. If the user is already deactivated, only the requested data is deleted, and no email is sent.
// Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) deactivate(ctx context.Context, a kit.Actor, in deactivateReq) (kit.None, error) {
	if in.Comment != nil {
		if err := user.CheckComment(*in.Comment); err != nil {
			return kit.None{}, err
		}
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, u, err := s.administeredID(ctx, a, in.User)
		switch {
		case err != nil:
			return err
		case in.Actions.Any() && permission.Role(v, a) > user.Admin:
			return permission.RoleRequired(user.Admin)
		case !u.Active && !in.Actions.Any():
			return errs.Bad("User is deactivated")
		case !a.System && !permission.Outranks(v.User(a.User), u):
			return permission.RoleRequired(user.Owner)
		case permission.LastOwner(v, u):
			return errs.Bad("Cannot deactivate the only organization owner")
		}
		return s.deactivateWithBots(ctx, a, u.ID, deactivation{in.Comment, in.Actions})
	})
}

func (s *service) deactivateSelf(ctx context.Context, a kit.Actor, _ kit.None) (kit.None, error) {
	return kit.None{}, s.Deactivate(ctx, a, a.User)
}

// Deactivate deactivates an account; see ports.Accounts.
func (s *service) Deactivate(ctx context.Context, by user.Actor, id user.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, by.Realm)
		if err != nil {
			return err
		}
		u := v.User(id)
		switch {
		case u == nil || u.System:
			return errNoSuchUser()
		case !u.Active:
			return errs.Bad("User is deactivated")
		case permission.LastOwner(v, u):
			return errs.New(errs.LastUser, "Cannot deactivate the only organization owner.").
				With("is_last_owner", true).With("entity", "organization owner")
		}
		return s.deactivateWithBots(ctx, by, id, deactivation{})
	})
}

// Reactivate reactivates an account; see ports.Accounts.
func (s *service) Reactivate(ctx context.Context, by user.Actor, id user.ID) error {
	_, err := s.reactivate(ctx, by, userReq{id})
	return err
}

// Delete deactivates an account and deletes data; see ports.Accounts.
func (s *service) Delete(ctx context.Context, by user.Actor, id user.ID, what user.Deletion) error {
	_, err := s.deactivate(ctx, by, deactivateReq{User: id, Actions: what})
	return err
}

// Anonymize removes the last personal data of an account; see ports.Accounts. It does not run the hook events of
// changed addresses and settings, whose handlers would store something about the user.
func (s *service) Anonymize(ctx context.Context, by user.Actor, id user.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, by.Realm)
		if err != nil {
			return err
		}
		old := v.User(id)
		if old == nil || old.System || old.Active {
			return errNoSuchUser()
		}
		now := old.Anonymous()
		if len(old.Keys) > 0 {
			if err := s.dropKeys(ctx, by, old); err != nil {
				return err
			}
		}
		if err := s.store.Update(ctx, by.Realm, now); err != nil {
			return err
		}
		if err := s.Log.Append(ctx, changeEvents(v, by.Realm, old, now)...); err != nil {
			return err
		}
		return s.Log.Append(ctx, userUpdated.To(by.Realm, event.Seeing(id), personOf(id, "is_active", false)))
	})
}

// deactivation holds the options of a deactivation.
type deactivation struct {
	comment *string       // included in the email to the user; nil: no email
	deletes user.Deletion // data to delete
}

// deactivateWithBots calls deactivateOne for each of a user's bots and then for the user.
func (s *service) deactivateWithBots(ctx context.Context, by user.Actor, id user.ID, how deactivation) error {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	for u := range v.Users() {
		if u.BotOwner != id || u.System {
			continue
		}
		if err := s.deactivateOne(ctx, by, u.ID, deactivation{deletes: how.deletes}); err != nil {
			return err
		}
	}
	return s.deactivateOne(ctx, by, id, how)
}

// deleteData deletes the requested data of a user: the profile immediately, messages later. The account remains and can
// be reactivated without its former identity, so the event does not set is_deleted.
func (s *service) deleteData(ctx context.Context, by user.Actor, id user.ID, d user.Deletion) error {
	if d.Messages() {
		requested := &user.MessageDeletionRequested{Realm: by.Realm, By: by, User: id, Deletion: d}
		if err := s.Hooks.Run(ctx, requested); err != nil {
			return err
		}
	}
	if !d.Profile {
		return nil
	}
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	old := v.User(id)
	now := old.WithoutProfile(v.Realm().Settings.DefaultAvatarSource)
	if err := s.save(ctx, by, old, now); err != nil {
		return err
	}
	return s.Hooks.Run(ctx, &user.ProfileDeleted{Realm: by.Realm, By: by, Old: old, User: now})
}

// deactivateOne deletes the requested data of one user and deactivates the user if still active.
func (s *service) deactivateOne(ctx context.Context, by user.Actor, id user.ID, how deactivation) error {
	if err := s.deleteData(ctx, by, id, how.deletes); err != nil {
		return err
	}
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	old := v.User(id)
	if !old.Active {
		return nil
	}
	if err := s.Hooks.Run(ctx, &user.Deactivated{Realm: by.Realm, By: by, User: id, Comment: how.comment}); err != nil {
		return err
	}
	now := *old
	now.Active = false
	if err := s.store.Update(ctx, by.Realm, &now); err != nil {
		return err
	}
	return s.Log.Append(
		ctx,
		userUpdated.To(by.Realm, event.Seeing(id), personOf(id, "is_active", false)).Changing(directory.OfUser(old, &now)),
	)
}

// reactivate handles POST /users/{user_id}/reactivate. It does nothing if the user is active. The API keys of people
// are revoked. A bot keeps its key unless its owner changes, in which case it gets a new one. Only owners can
// reactivate owners. If names must be unique and the user's name is in use, reactivate returns an error. Errors:
// BadRequest, UnauthorizedPrincipal.
func (s *service) reactivate(ctx context.Context, a kit.Actor, in userReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.administeredID(ctx, a, in.User)
		if err != nil || old.Active {
			return err
		}
		owner := old.BotOwner
		if old.IsBot() && !a.System {
			owner, err = ownerWhenReactivated(v, a, old)
		} else if !a.System && !permission.Outranks(v.User(a.User), old) {
			err = permission.RoleRequired(user.Owner)
		}
		if err == nil {
			err = checkUnusedName(v, old, old.FullName)
		}
		if err != nil {
			return err
		}
		return s.restore(ctx, a, old, owner)
	})
}

// ownerWhenReactivated checks that the caller can reactivate a bot, and returns the bot's owner: the previous owner or,
// if that user can no longer own bots, the caller. Errors: BadRequest, UnauthorizedPrincipal.
func ownerWhenReactivated(v *directory.View, a kit.Actor, bot *user.User) (user.ID, error) {
	me := v.User(a.User)
	if err := permission.CheckManagesBot(me, bot); err != nil {
		return 0, err
	}
	if !permission.CreatesBot(v, me.ID, bot.BotType) {
		return 0, errs.Bad("Insufficient permission")
	}
	if bot.Role < me.Role { // only users who can grant a bot's role can reactivate it
		return 0, permission.RoleRequired(user.Admin)
	}
	if permission.CheckBotOwner(v, me, v.User(bot.BotOwner)) == nil {
		return bot.BotOwner, nil
	}
	return me.ID, permission.CheckBotOwner(v, me, me)
}

func (s *service) restore(ctx context.Context, a kit.Actor, old *user.User, owner user.ID) error {
	now := *old
	now.Active, now.BotOwner = true, owner
	if err := s.store.Update(ctx, a.Realm, &now); err != nil {
		return err
	}
	if !old.IsBot() || owner != old.BotOwner {
		now.Keys = nil // revoke them in the same change, so that they never become valid again
		if err := s.dropKeys(ctx, a, old); err != nil {
			return err
		}
	}
	entries := []event.Event{
		userUpdated.To(a.Realm, event.Seeing(now.ID), personOf(now.ID, "is_active", true)).
			Changing(directory.OfUser(old, &now)),
	}
	if owner != old.BotOwner {
		entries = append(entries, userUpdated.To(a.Realm, event.Seeing(now.ID), personOf(now.ID, "bot_owner_id", owner)))
	}
	if err := s.Log.Append(ctx, entries...); err != nil {
		return err
	}
	// A bot has no key if its owner changed while it was deactivated.
	if owner != old.BotOwner || old.IsBot() && len(old.Keys) == 0 {
		if _, err := s.RenewKey(ctx, a, now.ID); err != nil {
			return err
		}
	}
	return s.Hooks.Run(ctx, &user.Reactivated{Realm: a.Realm, By: a, User: now.ID})
}

func (s *service) administeredID(ctx context.Context, a kit.Actor, id user.ID) (*directory.View, *user.User, error) {
	return s.administered(ctx, a, strconv.FormatInt(int64(id), 10))
}
