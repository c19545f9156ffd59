package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// requestEmail sends a link to the email address that the caller wants to use from now on. The address changes when the
// caller opens the link. requestEmail does nothing if asked is nil or the current address. If another user has the
// address, the caller gets an error only if they can see that user's address; otherwise only the email reveals it.
// Errors: BadRequest, RateLimit.
func (s *service) requestEmail(
	ctx context.Context, v *directory.View, a kit.Actor, me *user.User, asked *string,
) error {
	if asked == nil || *asked == "" || *asked == me.DeliveryEmail {
		return nil
	}
	email, err := user.CheckEmail(*asked)
	if err != nil || email == me.DeliveryEmail {
		return err
	}
	if err := permission.CheckNewEmail(v, me, email); err != nil {
		return err
	}
	if s.reserved(v, me, email) {
		return errEmailInUse(email)
	}
	if other := v.UserByEmail(email); other != nil && other.ID != me.ID && permission.Sees(v, me, other.ID) &&
		permission.SeesEmail(me, other) {
		return errEmailInUse(email)
	}
	if !kit.Handled[user.EmailChangeRequested](s.Collected) {
		return errs.Bad("This server can't change addresses. Ask an administrator.")
	}
	return s.Hooks.Run(ctx, &user.EmailChangeRequested{Realm: a.Realm, By: a, User: me, Email: email})
}

// ChangeEmail changes a user's address; see ports.Credentials.
func (s *service) ChangeEmail(ctx context.Context, by user.Actor, id user.ID, email string) error {
	v, old, err := s.activePerson(ctx, by, id)
	if err != nil {
		return err
	}
	now := *old
	if now.DeliveryEmail, err = s.checkNewEmail(v, old, email); err != nil {
		return err
	}
	if by.System { // the server's operator is exempt from the realm's restrictions
		err = v.Realm().CheckEmail(now.DeliveryEmail)
	} else {
		err = permission.CheckNewEmail(v, old, now.DeliveryEmail)
	}
	if err != nil {
		return err
	}
	return s.save(ctx, by, old, &now)
}

// ResetPassword replaces a user's password and revokes their API keys; see ports.Credentials.
func (s *service) ResetPassword(ctx context.Context, by user.Actor, id user.ID, hash string) error {
	v, old, err := s.activePerson(ctx, by, id)
	if err != nil {
		return err
	}
	if !by.System { // an operator may set one, for whoever may log in with it
		if err := s.checkPasswordAuth(ctx, v, id); err != nil {
			return err
		}
	}
	if err := s.store.SetPassword(ctx, id, hash); err != nil {
		return err
	}
	if err := s.dropKeys(ctx, by, old); err != nil {
		return err
	}
	now := *old
	if now.Keys = nil; len(old.Keys) > 0 {
		if err := s.Log.Append(ctx, keysChanged.To(by.Realm, event.None(),
			kit.None{}).Changing(directory.OfUser(old, &now))); err != nil {
			return err
		}
	}
	return s.Hooks.Run(ctx, &user.LoginChanged{Realm: by.Realm, By: by, Old: old, User: &now, Password: true})
}

// activePerson returns an active human user. Errors: BadRequest.
func (s *service) activePerson(ctx context.Context, by user.Actor, id user.ID) (*directory.View, *user.User, error) {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return nil, nil, err
	}
	u := v.User(id)
	if u == nil || u.System || u.IsBot() || !u.Active {
		return nil, nil, errNoSuchUser()
	}
	return v, u, nil
}
