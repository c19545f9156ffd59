package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// newPassword holds the hashes of the current password and of the new one.
type newPassword struct{ old, hash string }

// newPassword checks the current password and hashes the new one. It returns nil if no new password is requested.
// Errors: BadRequest.
func (s *service) newPassword(ctx context.Context, a kit.Actor, in settingsReq) (*newPassword, error) {
	if in.NewPassword == nil || *in.NewPassword == "" {
		return nil, nil
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return nil, err
	}
	if err := checkPasswordAuth(v); err != nil {
		return nil, err
	}
	stored, err := s.store.Password(ctx, a.User)
	if err != nil {
		return nil, err
	}
	given := ""
	if in.OldPassword != nil {
		given = *in.OldPassword
	}
	ok, err := s.hasher.Matches(ctx, stored, given)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errWrongPassword()
	}
	hash, err := s.Hash(ctx, *in.NewPassword, me.DeliveryEmail, me.FullName, v.Realm().Settings.Name)
	return &newPassword{stored, hash}, err
}

// replacePassword stores a new password if the password that was checked is still current. It may have changed while
// the new one was being hashed, perhaps because it leaked. Call it inside Do. Errors: BadRequest.
func (s *service) replacePassword(ctx context.Context, v *directory.View, u user.ID, p *newPassword) error {
	if err := checkPasswordAuth(v); err != nil {
		return err
	}
	stored, err := s.store.Password(ctx, u)
	switch {
	case err != nil:
		return err
	case stored != p.old:
		return errWrongPassword()
	}
	return s.store.SetPassword(ctx, u, p.hash)
}

// checkPasswordAuth returns an error if the realm has disabled password authentication. Errors: BadRequest.
func checkPasswordAuth(v *directory.View) error {
	if !v.Realm().Settings.PasswordAuth {
		return errs.Bad("Password authentication is disabled in this organization")
	}
	return nil
}

func errWrongPassword() error {
	return errs.Bad("Wrong password!").Because(errs.New(errs.AuthenticationFailed, "wrong password"))
}
