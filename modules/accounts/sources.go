package accounts

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Add adds a source of passwords; see ports.PasswordSources.
func (s *service) Add(source ports.PasswordSource) { s.sources = append(s.sources, source) }

// Accepted reports what the login form takes; see ports.Passwords.
func (s *service) Accepted(ctx context.Context, r realm.ID) (passwords, names bool, err error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return false, false, err
	}
	for _, source := range s.sources {
		serves, err := source.Serves(ctx, r)
		if err != nil {
			return false, false, err
		}
		names = names || serves
	}
	return names || v.Realm().Settings.PasswordAuth, names, nil
}

// Maximum lengths in bytes of what sources of passwords are asked for.
const (
	maxName    = 254
	maxForeign = 256 // of a password
)

// askSources tries a name and a password that the server itself has refused, with each source until one knows the name.
// If none knows it, asked is false, and the refusal stands.
func (s *service) askSources(
	ctx context.Context, r realm.ID, name, password string, refused error,
	then func(context.Context, *user.User) error,
) (asked bool, err error) {
	wrong := errs.Is(refused, errs.AuthenticationFailed) || errs.Is(refused, errs.PasswordAuthDisabled)
	if !wrong || name == "" || len(name) > maxName || password == "" || len(password) > maxForeign {
		return false, nil
	}
	for _, source := range s.sources {
		serves, err := source.Serves(ctx, r)
		if err != nil {
			return true, err
		}
		if !serves {
			continue
		}
		known, err := source.Prove(ctx, r, name, password, then)
		if errs.Is(err, errs.Unavailable) && errs.Is(refused, errs.AuthenticationFailed) {
			// Counts as a wrong password, which it was for the server.
			var down *errs.Error
			if errors.As(err, &down) {
				err = down.Because(refused)
			}
			return true, err
		}
		if known || err != nil {
			return true, err
		}
	}
	return false, nil
}
