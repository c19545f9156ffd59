package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// login holds the data needed to decide a login attempt.
type login struct {
	view   *directory.View
	user   *user.User // the user or bot with the address, or nil
	stored string     // the user's password hash; "": no password, as for all bots
	exempt bool       // the password counts although the organization has turned off passwords
}

func (s *service) login(ctx context.Context, r realm.ID, email string) (login, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return login{}, err
	}
	u, id := v.UserByEmail(email), user.ID(0) // ID 0 has neither a user nor a password
	if u != nil && !u.IsBot() {
		id = u.ID
	}
	stored, err := s.store.Password(ctx, id)
	if err != nil {
		return login{}, err
	}
	exempt := false
	if u != nil && stored != "" {
		exempt, err = s.exempt(ctx, v, u)
	}
	return login{v, u, stored, exempt}, err
}

// exempt reports whether a user with a password can log in with it although the organization has turned passwords off:
// owners who have a second factor, so that they can help if no other method works.
func (s *service) exempt(ctx context.Context, v *directory.View, u *user.User) (bool, error) {
	if v.Realm().Settings.PasswordAuth || u.Role != user.Owner || !u.Active {
		return false, nil
	}
	has, _, err := s.SecondFactor.Ask(ctx, signin.SecondFactor{Realm: v.Realm().ID, User: u.ID, SetUp: true})
	return has, err
}

// refusal returns the reason for rejecting a login, or nil. right reports whether the password is correct. Errors:
// AuthenticationFailed, UserDeactivated, RealmDeactivated, PasswordAuthDisabled.
func (l login) refusal(right bool) error {
	switch {
	case l.view.Realm().Deactivated:
		return errs.New(errs.RealmDeactivated, "This organization has been deactivated")
	case !l.view.Realm().Settings.PasswordAuth && (!right || !l.exempt): // the same error for whoever it is
		return errPasswordsOff()
	case !right:
		return errs.New(errs.AuthenticationFailed, "Your username or password is incorrect")
	case !l.user.Active:
		return user.LoginDeactivated()
	}
	return nil
}

// errPasswordsOff is the error for a password of which the organization has none. It counts as a wrong one, since some
// owners have one nevertheless.
func errPasswordsOff() error {
	return errs.New(errs.PasswordAuthDisabled, "Password authentication is disabled in this organization").
		Because(errs.New(errs.AuthenticationFailed, "passwords are turned off"))
}

// verify checks an email address and a password. It takes the same time for unknown addresses as for wrong passwords.
// The password may change concurrently, so callers must compare the hash again in the unit of work that depends on it.
// The error is that of refusal, if the login is refused, in the second result.
func (s *service) verify(ctx context.Context, r realm.ID, email, password string) (l login, refused, err error) {
	if l, err = s.login(ctx, r, email); err != nil {
		return l, nil, err
	}
	right, err := s.hasher.Matches(ctx, l.stored, password)
	if err != nil {
		return l, nil, err
	}
	return l, l.refusal(right), nil
}

// recordFailure records that a login has failed.
func (s *service) recordFailure(ctx context.Context, r realm.ID, l login) error {
	failed := audit.Fact{Realm: r, Action: audit.LoginFailed, Target: audit.Target{Kind: audit.User}, Refused: true}
	if l.user != nil {
		failed.Target = audit.To(audit.User, l.user.ID)
	}
	return s.Audit.Record(ctx, failed)
}

// hasPassword answers user.HasPassword.
func (s *service) hasPassword(ctx context.Context, q user.HasPassword) (bool, error) {
	for _, source := range s.sources {
		if q.Own {
			break
		}
		if holds, err := source.Holds(ctx, q.Realm, q.User); err != nil || holds {
			return holds, err
		}
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return false, err
	}
	hash, err := s.store.Password(ctx, q.User)
	if err != nil || hash == "" || v.Realm().Settings.PasswordAuth || v.User(q.User) == nil {
		return hash != "", err
	}
	return s.exempt(ctx, v, v.User(q.User))
}

type fetchKeyReq struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

type fetchKeyRes struct {
	Key    string  `json:"api_key"`
	Email  string  `json:"email"` // the delivery address
	UserID user.ID `json:"user_id"`
}

func (s *service) fetchKey(ctx context.Context, a kit.Actor, in fetchKeyReq) (fetchKeyRes, error) {
	_, names, err := s.Accepted(ctx, a.Realm)
	if err != nil {
		return fetchKeyRes{}, err
	}
	if _, err := user.CheckEmail(in.Username); err != nil && !names {
		return fetchKeyRes{}, err
	}
	var out fetchKeyRes
	err = s.Prove(ctx, a.Realm, in.Username, in.Password, func(ctx context.Context, u *user.User) error {
		second, _, err := s.SecondFactor.Ask(ctx, signin.SecondFactor{Realm: a.Realm, User: u.ID})
		if err != nil {
			return err
		}
		if second {
			v, err := s.Directory.View(ctx, a.Realm)
			if err != nil {
				return err
			}
			if !v.Realm().Settings.PasswordAuth && !names { // an owner's, which others must not learn
				return errPasswordsOff()
			}
			return errs.New(errs.SecondFactorRequired, "This account needs a second factor. Choose “%s” to log in.",
				signin.WithSecondFactor)
		}
		key, err := s.IssueKey(ctx, a, u.ID)
		out = fetchKeyRes{key, u.DeliveryEmail, u.ID}
		return err
	})
	return out, err
}

// Prove checks an email address and a password; see ports.Passwords.
func (s *service) Prove(
	ctx context.Context,
	r realm.ID,
	email, password string,
	then func(context.Context, *user.User) error,
) error {
	verified, refused, err := s.verify(ctx, r, email, password)
	if err != nil {
		return err
	}
	if refused != nil {
		asked, err := s.askSources(ctx, r, email, password, refused, then)
		if asked && !errs.Is(err, errs.AuthenticationFailed) {
			return err
		}
		if asked {
			refused = err
		}
		if err := s.recordFailure(ctx, r, verified); err != nil {
			return err
		}
		return refused
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		l, err := s.login(ctx, r, email)
		if err != nil {
			return err
		}
		if err := l.refusal(l.stored == verified.stored); err != nil {
			return err
		}
		return then(ctx, l.user)
	})
}

type fetchOwnKeyReq struct {
	Password *string `json:"password"`
}

type fetchOwnKeyRes struct {
	Key   string `json:"api_key"`
	Email string `json:"email"` // the delivery address
}

// fetchOwnKey handles POST /json/fetch_api_key. Unless the organization has disabled passwords, it requires the
// caller's password, so that a key cannot be obtained from an unattended browser. Errors: Unauthorized for requests
// without a session, BadRequest for a wrong password.
func (s *service) fetchOwnKey(ctx context.Context, a kit.Actor, in fetchOwnKeyReq) (fetchOwnKeyRes, error) {
	if a.Session == 0 {
		return fetchOwnKeyRes{}, errs.NotLoggedIn()
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return fetchOwnKeyRes{}, err
	}
	var out fetchOwnKeyRes
	issue := func(ctx context.Context, u *user.User) error {
		if u.ID != a.User {
			return errs.Bad("Your username or password is incorrect.")
		}
		key, err := s.IssueKey(ctx, a, u.ID)
		out = fetchOwnKeyRes{key, u.DeliveryEmail}
		return err
	}
	if needed, err := s.hasPassword(ctx, user.HasPassword{Realm: a.Realm, User: a.User}); err != nil ||
		!v.Realm().Settings.PasswordAuth && !needed {
		if err != nil {
			return out, err
		}
		err = issue(ctx, me)
		return out, err
	}
	given := ""
	if in.Password != nil {
		given = *in.Password
	}
	err = s.Prove(ctx, a.Realm, me.DeliveryEmail, given, issue)
	if errs.Is(err, errs.AuthenticationFailed) {
		return fetchOwnKeyRes{}, errs.Bad("Your username or password is incorrect.").Because(err)
	}
	return out, err
}

func errNoSuchUser() error { return errs.Bad("No such user") }
