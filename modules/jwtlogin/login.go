package jwtlogin

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

// errUsed is the error for a token that has been used before.
var errUsed = errors.New("the token has been used before")

// use verifies a token and ends it. Errors: why it is not valid.
func (s *service) use(ctx context.Context, r realm.ID, token string) (signin.Identity, error) {
	t, err := s.tokens.verify(token, s.Clock.Now())
	if err != nil {
		return signin.Identity{}, err
	}
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		first, err := s.rows.Use(ctx, r, t.hash, t.ends)
		if err == nil && !first {
			err = errUsed
		}
		return err
	})
	return signin.Identity{Subject: user.EmailKey(t.email), Email: t.email, Verified: true, Name: t.name}, err
}

// logIn handles the form that another site sends with a token.
func (s *service) logIn(w http.ResponseWriter, r *http.Request) {
	id, err := s.Realms.Resolve(r.Context(), page.Host(r))
	served := false
	if err == nil && id != 0 {
		v, failed := s.Directory.View(r.Context(), id)
		err, served = failed, failed == nil && s.serves(v)
	}
	switch {
	case err != nil && !errs.Is(err, errs.NonexistentSubdomain):
		page.Fail(w, r, err)
		return
	case !served || strings.TrimSuffix(r.URL.Path, "/") != loginPath:
		page.Fail(w, r, errs.New(errs.NotFound, "This page does not exist."))
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if err := r.ParseForm(); err != nil {
		s.Identities.Refuse(w, r, s.about, signin.BadAnswer, err)
		return
	}
	token, form := r.PostForm.Get("token"), r.Form
	// As if the browser had come by a redirect, since it has no form of ours to return to.
	r = r.Clone(r.Context())
	r.Method, r.URL.RawQuery = http.MethodGet, ""
	if form.Has("mobile_flow_otp") || form.Has("desktop_flow_otp") {
		s.Identities.Refuse(w, r, s.about, signin.BadFlow, errors.New("tokens do not log in apps"))
		return
	}
	who, err := s.use(r.Context(), id, token)
	switch {
	case errs.Is(err, errs.Unavailable):
		page.Fail(w, r, err)
	case err != nil:
		s.Identities.Refuse(w, r, s.about, signin.BadAnswer, err)
	default:
		s.Identities.Finish(w, r, s.about, signin.Started{Intent: signin.LogIn, Flow: signin.Flow{Next: "/"}}, who)
	}
}

type tokenReq struct {
	Token   string `json:"token" default:""`
	Profile bool   `json:"include_profile" default:"false"`
}

type tokenRes struct {
	Key   string      `json:"api_key"`
	Email string      `json:"email"` // the delivery address
	User  user.Record `json:"user,omitempty"`
}

// fetchKey handles POST /jwt/fetch_api_key. It creates no accounts and ignores the organization's password settings.
// Errors: BadRequest, AuthenticationFailed, UserDeactivated, SecondFactorRequired.
func (s *service) fetchKey(ctx context.Context, a kit.Actor, in tokenReq) (tokenRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return tokenRes{}, err
	}
	switch {
	case !s.serves(v):
		return tokenRes{}, errs.Bad("JWT authentication is not enabled for this organization")
	case in.Token == "":
		return tokenRes{}, errs.Bad("No JSON web token passed in request")
	}
	about := s.about
	about.NoSignUp = true
	id, err := s.use(ctx, a.Realm, in.Token)
	switch {
	case errs.Is(err, errs.Unavailable):
		return tokenRes{}, err
	case errors.Is(err, errNoEmail):
		return tokenRes{}, errs.Bad("No email specified in JSON web token claims")
	case err != nil:
		return tokenRes{}, errs.Bad("Bad JSON web token").Because(err)
	}
	out, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (tokenRes, error) {
		return s.issue(ctx, a, about, id, in.Profile)
	})
	var refused *signin.RefusalError
	if !errors.As(err, &refused) {
		return out, err
	}
	if err := s.Identities.Refused(ctx, a.Realm, about, id, refused); refused.Why != signin.NoAccount ||
		!errs.Is(err, errs.BadRequest) {
		return tokenRes{}, err
	}
	return tokenRes{}, errs.New(errs.AuthenticationFailed, "Your username or password is incorrect")
}

// issue issues a key for the account of a person. It must be called inside Do. Errors: SecondFactorRequired,
// signin.RefusalError.
func (s *service) issue(
	ctx context.Context, a kit.Actor, about signin.Provider, id signin.Identity, profile bool,
) (tokenRes, error) {
	u, err := s.Identities.Admit(ctx, a.Realm, about, id)
	if err != nil {
		return tokenRes{}, err
	}
	second, _, err := s.SecondFactor.Ask(ctx, signin.SecondFactor{Realm: a.Realm, User: u.ID})
	switch {
	case err != nil:
		return tokenRes{}, err
	case second:
		return tokenRes{}, errs.New(errs.SecondFactorRequired, "This account needs a second factor. Choose “%s” to log in.",
			signin.WithSecondFactor)
	}
	out := tokenRes{Email: u.DeliveryEmail}
	if profile {
		if out.User, _, err = s.Record.Ask(ctx, user.RecordOf{Realm: a.Realm, User: u.ID}); err != nil {
			return tokenRes{}, err
		}
	}
	out.Key, err = s.Accounts.IssueKey(ctx, a, u.ID)
	return out, err
}
