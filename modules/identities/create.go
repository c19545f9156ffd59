package identities

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// create creates an account for a person. Errors: a refusal if the organization's rules forbid it.
func (s *service) create(ctx context.Context, by user.Actor, id signin.Identity) (*user.User, error) {
	by.User, by.Role, by.Session = 0, 0, 0
	u, err := s.Accounts.Create(ctx, by, ports.NewUser{Email: id.Email, FullName: id.FullName(), Role: user.Member})
	if errs.Is(err, errs.BadRequest) {
		return nil, &signin.RefusalError{Why: signin.Inadmissible}
	}
	if err != nil {
		return nil, err
	}
	if err := s.settle(ctx, by, u, id); err != nil {
		return nil, err
	}
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return nil, err
	}
	return v.User(u), nil
}

// settle gives a new account the language and the time zone of the person, as far as the server has them.
func (s *service) settle(ctx context.Context, by user.Actor, u user.ID, id signin.Identity) error {
	values := map[string]string{"timezone": id.Timezone}
	for _, tag := range language.Accepted(id.Language) {
		// The organization's language suits people whose own the server does not have.
		if l := language.Choose(tag); l != language.English() || strings.HasPrefix(strings.ToLower(tag), "en") {
			values["default_language"] = l.Code
			break
		}
	}
	for name, value := range values {
		if value == "" {
			continue
		}
		if err := s.Settings.Set(ctx, by, u, name, value); err != nil && !errs.Is(err, errs.BadRequest) {
			return err
		}
	}
	return nil
}
