package twofactor

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/secondfactor"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// What a person must do before changing second factors.
const (
	proveNothing  = "nothing" // they have logged in a moment ago
	provePassword = "password"
	proveLogin    = "login" // they have no password: log in again
)

// shown is what a user has set up, as sent to them.
type shown struct {
	App      bool       `json:"app" doc:"Whether an authenticator app is set up."`
	AppAdded *int64     `json:"app_added_at" doc:"When the app was set up, in Unix seconds; null: it is not."`
	Codes    int64      `json:"recovery_codes" doc:"The number of recovery codes that are left."`
	Few      bool       `json:"few_recovery_codes" doc:"Whether it is time for new recovery codes."`
	Required bool       `json:"required" doc:"Whether the organization requires a second factor."`
	Due      *int64     `json:"due_at" doc:"Until when logins do not insist on it, in Unix seconds; null: not asked for."`
	Passkeys []shownKey `json:"passkeys" doc:"The passkeys, oldest first."`
	Prove    string     `json:"prove" doc:"What changes require: nothing, password or login."`
}

// show handles GET /stoa/second_factor.
func (s *service) show(ctx context.Context, a kit.Actor, _ kit.None) (shown, error) {
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return shown{}, err
	}
	f, err := s.rows.Of(ctx, a.User)
	if err != nil {
		return shown{}, err
	}
	out := shown{App: f.Secret != "", Required: applies(v, me)}
	if out.App {
		out.AppAdded = &f.AddedAt
	}
	if at := due(v, f); out.Required && !f.any() && !at.IsZero() {
		seconds := at.Unix()
		out.Due = &seconds
	}
	if out.Codes, err = s.rows.Codes(ctx, a.User); err != nil {
		return shown{}, err
	}
	out.Few = f.any() && out.Codes <= secondfactor.FewCodes
	if out.Passkeys, err = s.shownKeys(ctx, a); err != nil {
		return shown{}, err
	}
	out.Prove, err = s.proof(ctx, a)
	return out, err
}

// proof returns what the caller must do before changing second factors.
func (s *service) proof(ctx context.Context, a kit.Actor) (string, error) {
	if a.Session != 0 {
		began, _, err := s.Began.Ask(ctx, session.Began{Realm: a.Realm, ID: a.Session})
		if err != nil {
			return "", err
		}
		if s.Clock.Now().Sub(began) < s.cfg.Fresh {
			return proveNothing, nil
		}
	}
	has, _, err := s.HasPassword.Ask(ctx, user.HasPassword{Realm: a.Realm, User: a.User})
	if has {
		return provePassword, err
	}
	return proveLogin, err
}

// proofReq has the password, unless the caller has logged in a moment ago.
type proofReq struct {
	Password *string `json:"password"`
}

// prove checks that the caller is the person and not somebody at their unattended browser. Not inside Do. Errors:
// Unauthorized without a session, BadRequest for a wrong password.
func (s *service) prove(ctx context.Context, a kit.Actor, in proofReq) error {
	if a.Session == 0 {
		return errs.NotLoggedIn()
	}
	_, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return err
	}
	what, err := s.proof(ctx, a)
	switch {
	case err != nil || what == proveNothing:
		return err
	case what == proveLogin:
		return errs.Bad("Log out and in again to change this.")
	case in.Password == nil:
		return errs.Bad("Enter your password to change this.")
	}
	err = s.Passwords.Prove(ctx, a.Realm, me.DeliveryEmail, *in.Password,
		func(_ context.Context, u *user.User) error {
			if u.ID != a.User {
				return errs.Bad("Wrong password!")
			}
			return nil
		})
	if errs.Is(err, errs.AuthenticationFailed) {
		err = errs.Bad("Wrong password!").Because(err)
	}
	return err
}

type appRes struct {
	Secret string  `json:"secret" doc:"The secret, in base32."`
	URI    string  `json:"uri" doc:"The otpauth URI for the app."`
	QR     picture `json:"qr" doc:"The URI as a QR code."`
}

// beginApp handles POST /stoa/second_factor/app. An app that is set up already works until the new one is confirmed.
func (s *service) beginApp(ctx context.Context, a kit.Actor, in proofReq) (appRes, error) {
	if err := s.prove(ctx, a, in); err != nil {
		return appRes{}, err
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return appRes{}, err
	}
	out := appRes{Secret: secondfactor.NewSecret()}
	out.URI = secondfactor.URI(out.Secret, v.Realm().Settings.Name, me.DeliveryEmail)
	if out.QR, err = draw(out.URI); err != nil {
		return appRes{}, err
	}
	sealed, err := s.seal(a.User, out.Secret)
	if err != nil {
		return appRes{}, err
	}
	return out, s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.rows.Ensure(ctx, a.Realm, a.User); err != nil {
			return err
		}
		return s.rows.SetPending(ctx, a.User, sealed)
	})
}

type confirmReq struct {
	Code string `json:"code" doc:"The code that the app shows."`
}

type codesRes struct {
	Codes []string `json:"recovery_codes" doc:"New recovery codes; empty if there are others left."`
}

// confirmApp handles POST /stoa/second_factor/app/confirm. Errors: Unauthorized without a session; BadRequest for a
// wrong code, or without an app that is being set up; RateLimit.
func (s *service) confirmApp(ctx context.Context, a kit.Actor, in confirmReq) (codesRes, error) {
	if a.Session == 0 {
		return codesRes{}, errs.NotLoggedIn()
	}
	err := s.Work.Do(ctx, func(ctx context.Context) error { return s.tryFor(ctx, a.Realm, a.User) })
	if err != nil {
		return codesRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (codesRes, error) {
		f, err := s.rows.Of(ctx, a.User)
		if err != nil {
			return codesRes{}, err
		}
		if f.Pending == "" {
			return codesRes{}, errs.Bad("No authenticator app is being set up.")
		}
		right, err := s.install(ctx, a.Realm, a.User, f.Pending, in.Code)
		if err != nil {
			return codesRes{}, err
		}
		if !right {
			return codesRes{}, errs.Bad("The code is wrong. Check that the clock of your phone is right.")
		}
		if err := s.changed(ctx, a, a.User, appAdded); err != nil {
			return codesRes{}, err
		}
		codes, err := s.issueMissing(ctx, a.Realm, a.User)
		return codesRes{codes}, err
	})
}

// removeApp handles DELETE /stoa/second_factor/app. It ends the caller's other sessions.
func (s *service) removeApp(ctx context.Context, a kit.Actor, in proofReq) (kit.None, error) {
	if err := s.prove(ctx, a, in); err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		f, err := s.rows.Of(ctx, a.User)
		if err != nil {
			return err
		}
		if f.Secret == "" {
			return errs.Bad("No authenticator app is set up.")
		}
		if err := s.rows.SetApp(ctx, a.User, "", 0, time.Unix(0, 0)); err != nil {
			return err
		}
		return s.removed(ctx, a, appRemoved)
	})
}

// removed does what follows when the caller has removed a second factor.
func (s *service) removed(ctx context.Context, a kit.Actor, what change) error {
	f, err := s.rows.Of(ctx, a.User)
	if err != nil {
		return err
	}
	if !f.any() {
		if err := s.rows.ReplaceCodes(ctx, a.User, nil); err != nil {
			return err
		}
	}
	if err := s.rows.DropSteps(ctx, a.User); err != nil {
		return err
	}
	if err := s.SignIns.EndAll(ctx, a.Realm, a.User, a.Session); err != nil {
		return err
	}
	return s.changed(ctx, a, a.User, what)
}

// newCodes handles POST /stoa/second_factor/recovery_codes. Errors: BadRequest without another second factor.
func (s *service) newCodes(ctx context.Context, a kit.Actor, in proofReq) (codesRes, error) {
	if err := s.prove(ctx, a, in); err != nil {
		return codesRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (codesRes, error) {
		f, err := s.rows.Of(ctx, a.User)
		if err != nil {
			return codesRes{}, err
		}
		if !f.any() {
			return codesRes{}, errs.Bad("Set up a second factor first.")
		}
		if err := s.changed(ctx, a, a.User, codesIssued); err != nil {
			return codesRes{}, err
		}
		codes, err := s.issue(ctx, a.Realm, a.User)
		return codesRes{codes}, err
	})
}
