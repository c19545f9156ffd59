package identities

import (
	"context"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Admit returns the account of a person whom a provider has identified without a browser; see ports.Identities.
func (s *service) Admit(ctx context.Context, r realm.ID, p signin.Provider, id signin.Identity) (*user.User, error) {
	by := stranger(ctx, r)
	if err := checked(&id); err != nil {
		return nil, err
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	known, standing, err := s.standing(ctx, v, by, p, signin.Started{Intent: signin.LogIn}, id)
	if err != nil {
		return nil, err
	}
	verdict, u, why := signin.Decide(p, id, standing)
	if verdict == signin.Prove { // there is no page to ask for the password
		verdict, why = signin.Refuse, signin.Protected
	}
	if u, err = s.act(ctx, by, p, id, verdict, u, why, known); err != nil {
		return nil, err
	}
	if err := s.followed(ctx, by, u, p, id); err != nil {
		return nil, err
	}
	if v, err = s.Directory.View(ctx, r); err != nil {
		return nil, err
	}
	return v.User(u.ID), s.Audit.Record(ctx, fact(by, audit.IdentityUsed, u, p.ID, id.Subject))
}

// stranger returns who makes the request, who is not known yet.
func stranger(ctx context.Context, r realm.ID) user.Actor {
	by := ports.Request(ctx)
	by.Realm, by.User, by.Role, by.Session, by.System = r, 0, 0, 0, false
	return by
}

// Connections returns the accounts that are connected to a provider; see ports.Identities.
func (s *service) Connections(ctx context.Context, r realm.ID, provider string) ([]signin.Connection, error) {
	return s.rows.At(ctx, r, provider)
}

// Follow gives an account what follows from what the provider says; see ports.Identities.
func (s *service) Follow(
	ctx context.Context, r realm.ID, p signin.Provider, u user.ID, id signin.Identity,
) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		if err := checked(&id); err != nil || v.User(u) == nil {
			return err
		}
		return s.follow(ctx, v, v.User(u), p, id)
	})
}

// Refused records a refusal, and returns the error for the person; see ports.Identities.
func (s *service) Refused(
	ctx context.Context, r realm.ID, p signin.Provider, id signin.Identity, why *signin.RefusalError,
) error {
	by := stranger(ctx, r)
	f := fact(by, audit.IdentityRefused, why.On, p.ID, id.Subject)
	f.Refused, f.New["reason"] = true, string(why.Why)
	if err := s.Audit.Record(ctx, f); err != nil {
		return err
	}
	if why.Why == signin.Deactivated {
		return user.LoginDeactivated()
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	return message(p, v.Realm(), why.Why)
}
