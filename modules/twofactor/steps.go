package twofactor

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"math"
	"net/http"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

// methods answers signin.Methods: once somebody may need a second factor, apps offer to log in in a browser, which can
// ask for it.
func (s *service) methods(ctx context.Context, q signin.Methods) ([]signin.Method, error) {
	if q.Realm == 0 {
		return nil, nil
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil || v.Realm() == nil {
		return nil, err
	}
	passkeys, err := s.rows.AnyPasskey(ctx, q.Realm)
	if err != nil {
		return nil, err
	}
	used := passkeys || required.In(v) != nobody
	if !used {
		used, err = s.rows.Used(ctx, q.Realm)
	}
	var all []signin.Method
	if used && v.Realm().Settings.PasswordAuth {
		const login = "/login" // which asks for the password
		all = append(all,
			signin.Method{Name: "second-factor", DisplayName: signin.WithSecondFactor, LoginURL: login, SignUpURL: login})
	}
	if passkeys {
		all = append(all,
			signin.Method{
				Name: "passkey", DisplayName: "Passkey", LoginURL: passkeyPath, SignUpURL: passkeyPath,
				Script: askScript + autofillScript,
			})
	}
	return all, err
}

// applies reports whether the organization requires a second factor of a user.
func applies(v *directory.View, u *user.User) bool {
	switch required.In(v) {
	case members:
		return true
	case admins:
		return u.Role <= user.Admin
	}
	return false
}

// due returns when a user of whom the organization requires a second factor must have set it up; the zero time before
// it has been asked for.
func due(v *directory.View, f factors) time.Time {
	if f.AskedAt == 0 {
		return time.Time{}
	}
	return time.Unix(f.AskedAt, 0).AddDate(0, 0, grace.In(v))
}

// need reports whether a user must give a second factor, or set one up, to log in. It notes when the organization has
// first asked for it. It must be called inside Do.
func (s *service) need(ctx context.Context, r realm.ID, id user.ID) (bool, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return false, err
	}
	u := v.User(id)
	if u == nil || u.IsBot() || u.System {
		return false, nil
	}
	f, err := s.rows.Of(ctx, id)
	if err != nil || f.any() {
		return err == nil, err
	}
	switch {
	case !applies(v, u) && f.AskedAt == 0:
		return false, nil
	case !applies(v, u):
		return false, s.rows.SetAsked(ctx, id, 0)
	case f.AskedAt == 0:
		f.AskedAt = s.Clock.Now().Unix()
		if err := s.rows.Ensure(ctx, r, id); err != nil {
			return false, err
		}
		if err := s.rows.SetAsked(ctx, id, f.AskedAt); err != nil {
			return false, err
		}
	}
	return !s.Clock.Now().Before(due(v, f)), nil
}

// any reports whether the user has a second factor.
func (f factors) any() bool { return f.Secret != "" || f.Passkeys > 0 }

// needed answers signin.SecondFactor.
func (s *service) needed(ctx context.Context, q signin.SecondFactor) (bool, error) {
	if q.SetUp {
		f, err := s.rows.Of(ctx, q.User)
		return err == nil && f.any(), err
	}
	return s.need(ctx, q.Realm, q.User)
}

// ask answers signin.SecondStep.
func (s *service) ask(ctx context.Context, q signin.SecondStep) (signin.Challenge, error) {
	need, err := s.need(ctx, q.Realm, q.User)
	if err != nil || !need {
		return signin.Challenge{}, err
	}
	flow, err := json.Marshal(q.Flow)
	if err != nil {
		return signin.Challenge{}, err
	}
	life := signin.FlowLife
	if q.Flow.Mobile != nil || q.Flow.Desktop != nil {
		life = signin.AppFlowLife
	}
	secret, ends := session.NewSecret(), s.Clock.Now().Add(life)
	hash := session.Hash(secret)
	return signin.Challenge{Page: pagePath + "/", ID: stepID(hash), Secret: secret, Ends: ends},
		s.rows.AddStep(ctx, &step{
			Hash: hash, UserID: q.User, RealmID: q.Realm, Flow: string(flow), EndsAt: ends.Unix(),
		})
}

// stepID returns the ID of a login, which is not secret.
func stepID(hash string) string { return hash[:12] }

// find returns the login that the browser continues. Errors: BadRequest.
func (s *service) find(ctx context.Context, r *http.Request, at realm.ID, id string) (*step, error) {
	hash := session.Hash(page.ChallengeSecret(r, id))
	if subtle.ConstantTimeCompare([]byte(stepID(hash)), []byte(id)) != 1 {
		return nil, expired()
	}
	one, err := s.rows.Step(ctx, at, hash, s.Clock.Now())
	if err == nil && (one == nil || one.Flow == "") { // without a flow, it is a passkey that is being added
		err = expired()
	}
	return one, err
}

// expired is the error for all logins that cannot continue.
func expired() error {
	return errs.Bad("This login has expired, has been completed, or was begun in another browser. Log in again.")
}

// try counts a code that is tried in a login. Errors: BadRequest after too many in this login, RateLimit after too many
// for the user.
func (s *service) try(ctx context.Context, one *step) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		counted, err := s.rows.TryStep(ctx, one.Hash, s.cfg.Tries)
		if err == nil && !counted {
			err = expired()
		}
		if err != nil {
			return err
		}
		return s.tryFor(ctx, one.RealmID, one.UserID)
	})
}

// tryFor counts a code that is tried for a user. It must be called inside Do. Errors: RateLimit.
func (s *service) tryFor(ctx context.Context, r realm.ID, u user.ID) error {
	if err := s.rows.Ensure(ctx, r, u); err != nil {
		return err
	}
	counted, err := s.rows.Try(ctx, u, s.cfg.Tries, s.Clock.Now(), s.cfg.Window)
	if err == nil && !counted {
		minutes := int(math.Ceil(s.cfg.Window.Minutes()))
		err = errs.New(errs.RateLimit, "Too many wrong codes. Please try again in %d minutes.", minutes).
			With("retry-after", s.cfg.Window.Seconds())
	}
	return err
}

// finish logs the person in who has given a second factor. It must be called inside Do.
func (s *service) finish(
	ctx context.Context, r *http.Request, by user.Actor, one *step, factor string,
) (page.Finished, error) {
	existed, err := s.rows.TakeStep(ctx, one.Hash)
	if err == nil && !existed {
		err = expired()
	}
	if err != nil {
		return page.Finished{}, err
	}
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return page.Finished{}, err
	}
	u := v.User(one.UserID)
	if u == nil || !u.Active {
		return page.Finished{}, expired()
	}
	var flow signin.Flow
	if err := json.Unmarshal([]byte(one.Flow), &flow); err != nil {
		return page.Finished{}, err
	}
	if by.Session != 0 && flow.Mobile == nil && flow.Desktop == nil {
		if err := s.SignIns.End(ctx, by.Realm, by.Session); err != nil {
			return page.Finished{}, err
		}
	}
	flow.SecondFactor = true
	by.User, by.Role, by.Session = u.ID, u.Role, 0
	if err := s.Audit.Record(ctx, fact(by, audit.SecondFactorUsed, u.ID, factor)); err != nil {
		return page.Finished{}, err
	}
	out, err := s.SignIns.Finish(ctx, by, u.ID, flow)
	if err != nil {
		return page.Finished{}, err
	}
	return page.Finish(r, out, flow).WithoutChallenge(r, stepID(one.Hash)), nil
}

// fact describes an action with a second factor.
func fact(by user.Actor, a audit.Action, u user.ID, factor string) audit.Fact {
	f := audit.Fact{Realm: by.Realm, Action: a, Target: audit.To(audit.User, u), By: &by}
	if factor != "" {
		f.New = audit.Values{"factor": factor}
	}
	return f
}

// loginChanged is the hook that ends the logins that began with an earlier password.
func (s *service) loginChanged(ctx context.Context, m *user.LoginChanged) error {
	return s.rows.DropSteps(ctx, m.User.ID)
}

// profileDeleted is the hook that forgets the second factors of a deleted user.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.rows.Forget(ctx, m.User.ID)
}

// visit returns the view of the organization at the request's host, and the caller; see page.Visit.
func (s *service) visit(r *http.Request) (*directory.View, user.Actor, error) {
	return page.Visit(r, s.Directory, s.Realms, s.Sessions)
}

// forget is the job that deletes what has expired.
func (s *service) forget(ctx context.Context) error {
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.ForgetSteps(ctx, s.Clock.Now()) })
}
