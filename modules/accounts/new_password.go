package accounts

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
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
	if err := s.checkPasswordAuth(ctx, v, a.User); err != nil {
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
	if err := s.checkPasswordAuth(ctx, v, u); err != nil {
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

// checkPasswordAuth returns an error if the realm has disabled password authentication, except for owners who can log
// in with their password nevertheless. Errors: BadRequest.
func (s *service) checkPasswordAuth(ctx context.Context, v *directory.View, id user.ID) error {
	if v.Realm().Settings.PasswordAuth {
		return nil
	}
	if u := v.User(id); u != nil {
		if exempt, err := s.exempt(ctx, v, u); err != nil || exempt {
			return err
		}
	}
	return errs.Bad("Password authentication is disabled in this organization")
}

// passwordsOff is the hook that refuses to turn passwords off if people could not log in any more: without another
// method, or without an owner who can log in if that method fails. Errors: BadRequest.
func (s *service) passwordsOff(ctx context.Context, m *realm.PasswordsOff) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	methods, err := s.Methods.Ask(ctx, signin.Methods{Realm: m.Realm})
	if err != nil {
		return err
	}
	_, names, err := s.Accepted(ctx, m.Realm)
	if err != nil {
		return err
	}
	if !names && !slices.ContainsFunc(slices.Concat(methods...), func(m signin.Method) bool {
		return m.DisplayName != signin.WithSecondFactor // which asks for the password first
	}) {
		return errs.Bad("At least one authentication method must be enabled.")
	}
	for u := range v.Users() {
		if !u.Active || u.Role != user.Owner || u.IsBot() || u.System {
			continue
		}
		stored, err := s.store.Password(ctx, u.ID)
		if err != nil {
			return err
		}
		second, _, err := s.SecondFactor.Ask(ctx, signin.SecondFactor{Realm: m.Realm, User: u.ID, SetUp: true})
		if err != nil {
			return err
		}
		if stored != "" && second {
			return nil
		}
	}
	return errs.Bad("Without passwords, nobody could log in if the other methods fail. First, an owner with a password " +
		"must set up a second factor.")
}

func errWrongPassword() error {
	return errs.Bad("Wrong password!").Because(errs.New(errs.AuthenticationFailed, "wrong password"))
}
