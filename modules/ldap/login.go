package ldap

import (
	"context"
	"errors"

	"github.com/go-ldap/ldap/v3"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
)

// source is a directory as a source of passwords; see ports.PasswordSource.
type source struct {
	*service

	d *directory
}

// Serves reports whether an organization can use the directory.
func (s source) Serves(ctx context.Context, r realm.ID) (bool, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return false, err
	}
	return s.d.serves(v), nil
}

// Holds reports whether a user has logged in with the directory.
func (s source) Holds(ctx context.Context, r realm.ID, u user.ID) (bool, error) {
	if serves, err := s.Serves(ctx, r); err != nil || !serves {
		return false, err
	}
	p, err := s.rows.Person(ctx, r, s.d.ID, u)
	return p != nil, err
}

// answer is what a directory says about a name and a password.
type answer struct {
	known    bool // somebody has the name
	wrong    bool // the password is wrong
	limited  bool // too many wrong passwords
	active   bool
	identity signin.Identity
}

// Prove checks a name and a password; see ports.PasswordSource.
func (s source) Prove(
	ctx context.Context, r realm.ID, name, password string, then func(context.Context, *user.User) error,
) (known bool, err error) {
	if name, err = s.nameOf(ctx, r, name); err != nil || !plausible(name) || password == "" {
		return false, err
	}
	at, err := s.d.check(ctx, name, password)
	if err != nil {
		s.Logger.WarnContext(ctx, "a directory does not work", "directory", s.d.ID, "error", err)
		why := signin.Unreachable
		if errors.Is(err, errSeveral) {
			why = signin.BadAnswer
		}
		return true, s.Identities.Refused(ctx, r, s.d.about, at.identity, &signin.RefusalError{Why: why})
	}
	switch {
	case !at.known:
		return false, nil
	case at.limited:
		return true, errs.New(errs.RateLimit, "Too many failed login attempts. Please try again later.").
			With("retry-after", wrongWindow.Seconds())
	case at.wrong:
		return true, errs.New(errs.AuthenticationFailed, "Your username or password is incorrect")
	case !at.active:
		return true, s.Identities.Refused(ctx, r, s.d.about, at.identity, &signin.RefusalError{Why: signin.Deactivated})
	case !s.d.admits(at.identity):
		return true, s.Identities.Refused(ctx, r, s.d.about, at.identity, &signin.RefusalError{Why: signin.Outside})
	}
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		u, err := s.Identities.Admit(ctx, r, s.d.about, at.identity)
		if err != nil {
			return err
		}
		if err := s.rows.Remember(ctx, &person{UserID: u.ID, RealmID: r, Directory: s.d.ID, Name: name}); err != nil {
			return err
		}
		return then(ctx, u)
	})
	var refused *signin.RefusalError
	if errors.As(err, &refused) {
		return true, s.Identities.Refused(ctx, r, s.d.about, at.identity, refused)
	}
	return true, err
}

// nameOf returns the name in the directory for what a person has entered: the one that they have used before if it is
// the address of their account.
func (s source) nameOf(ctx context.Context, r realm.ID, entered string) (string, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return "", err
	}
	u := v.UserByEmail(entered)
	if u == nil {
		return entered, nil
	}
	p, err := s.rows.Person(ctx, r, s.d.ID, u.ID)
	if err != nil || p == nil {
		return entered, err
	}
	return p.Name, nil
}

// check asks the directory about a name and a password. Errors: the directory does not work; errSeveral.
func (d *directory) check(ctx context.Context, name, password string) (answer, error) {
	if err := d.available(); err != nil {
		return answer{}, err
	}
	var at answer
	var err error
	if d.UserDN != "" {
		at, err = d.checkDirectly(ctx, name, password)
	} else {
		at, err = d.checkFound(ctx, name, password)
	}
	return at, d.fails(ctx, err)
}

// checkFound looks a name up with the service account, and binds as the entry.
func (d *directory) checkFound(ctx context.Context, name, password string) (answer, error) {
	var e *ldap.Entry
	var at answer
	err := d.asService(ctx, func(c *connection) error {
		var err error
		if e, err = d.person(ctx, c, name); err != nil || e == nil {
			return err
		}
		if at.identity, err = d.identity(e); err != nil {
			return err
		}
		at.identity.Groups, err = d.groups(ctx, c, e)
		return err
	})
	if err != nil {
		return at, err
	}
	if e == nil {
		return at, d.waste(ctx)
	}
	at.known, at.active = true, d.active(e, d.clock.Now())
	err = d.asPerson(ctx, &at, at.identity.Subject, e.DN, password, nil)
	return at, err
}

// waste binds as nobody, so that an unknown name takes as long as a wrong password.
func (d *directory) waste(ctx context.Context) error {
	var nobody answer
	return d.asPerson(ctx, &nobody, "", "cn=nobody,"+d.BaseDN, "wrong", nil)
}

// checkDirectly binds with the name, and reads the entry with the person's own rights.
func (d *directory) checkDirectly(ctx context.Context, name, password string) (answer, error) {
	at := answer{known: true}
	err := d.asPerson(ctx, &at, user.EmailKey(name), d.userDN(name), password, func(c *connection) error {
		e, err := d.self(ctx, c, name)
		if err != nil {
			return err
		}
		if e == nil {
			return setupError("a person who has bound finds no entry of their own: see user_dn, base_dn and user_filter")
		}
		if at.identity, err = d.identity(e); err != nil {
			return err
		}
		at.active = d.active(e, d.clock.Now())
		at.identity.Groups, err = d.groups(ctx, c, e)
		return err
	})
	return at, err
}

// asPerson binds as a person, if not too many wrong passwords have been tried, and runs further steps.
func (d *directory) asPerson(
	ctx context.Context, at *answer, key, dn, password string, further func(c *connection) error,
) error {
	if key != "" && !d.guesses.take(key, d.clock.Now()) {
		at.limited = true
		return nil
	}
	select {
	case d.people <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-d.people }()
	c, err := d.dial(ctx)
	if err != nil {
		d.guesses.forget(key)
		return err
	}
	defer func() { _ = c.Close() }()
	at.wrong, err = d.bind(ctx, c, dn, password)
	if at.wrong {
		return nil
	}
	d.guesses.forget(key)
	if err == nil && further != nil {
		err = further(c)
	}
	return err
}
