package identities

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

// cookieName is the name of the cookie that identifies the browser of a flow. Browsers accept the __Host- prefix over
// HTTPS only, and only from the host itself.
func cookieName(r *http.Request) string {
	if page.Secure(r) {
		return "__Host-signin"
	}
	return "signin"
}

// newSecret returns 256 random bits, in the form of a PKCE code verifier.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// browserOf returns the value of the browser's cookie, or "".
func browserOf(r *http.Request) string {
	c, err := r.Cookie(cookieName(r))
	if err != nil || len(c.Value) > 64 {
		return ""
	}
	return c.Value
}

// Recognizes reports whether a browser has the cookie of a flow; see ports.Identities.
func (s *service) Recognizes(r *http.Request) bool { return browserOf(r) != "" }

// Begin starts a login at a provider; see ports.Identities.
func (s *service) Begin(
	w http.ResponseWriter, r *http.Request, p signin.Provider, connect bool,
) (signin.Started, bool) {
	if onward := outOfApp(r); onward != "" {
		s.answer(w, r, content{Provider: p.Name, Continue: onward}, nil)
		return signin.Started{}, false
	}
	started, cookie, err := s.begin(r, p, connect)
	if err != nil {
		s.answer(w, r, content{Provider: p.Name}, err)
		return signin.Started{}, false
	}
	http.SetCookie(w, cookie)
	return started, true
}

// outOfApp returns the address at which the system's browser continues if the request comes from the desktop app, in
// which providers refuse to work; "" otherwise. The parameter continue is for browsers that call themselves like the
// app.
func outOfApp(r *http.Request) string {
	q := r.URL.Query()
	if !strings.Contains(r.UserAgent(), "ZulipElectron/") || q.Has("desktop_flow_otp") || q.Has("continue") {
		return ""
	}
	q.Set("continue", "1")
	return r.URL.Path + "?" + q.Encode()
}

func (s *service) begin(r *http.Request, p signin.Provider, connect bool) (signin.Started, *http.Cookie, error) {
	_, by, err := s.visit(r)
	if err != nil {
		return signin.Started{}, nil, err
	}
	to, err := signin.ParseFlow(r.URL.Query())
	if err != nil {
		return signin.Started{}, nil, err
	}
	browser := browserOf(r)
	if browser == "" {
		browser = newSecret()
	}
	state := newSecret()
	f := &flow{
		Hash: session.Hash(state), RealmID: by.Realm, Provider: p.ID, Intent: signin.LogIn,
		Browser: session.Hash(browser), Next: to.Next,
		Mobile: hex.EncodeToString(to.Mobile), Desktop: hex.EncodeToString(to.Desktop),
		Nonce: newSecret(), Verifier: newSecret(), EndsAt: s.end(to),
	}
	err = s.Work.Do(r.Context(), func(ctx context.Context) error {
		if connect {
			asked, err := s.takeRequest(ctx, by, p, r.URL.Query().Get("connect"))
			if err != nil {
				return err
			}
			f.Intent, f.UserID, f.Next = signin.Connect, asked.UserID, asked.Next
		}
		return s.rows.AddFlow(ctx, f)
	})
	started := f.started(state)
	started.Browser = browser
	cookie := &http.Cookie{ //nolint:gosec // not Secure if the client uses plain HTTP
		Name: cookieName(r), Value: browser, Path: "/", HttpOnly: true, Secure: page.Secure(r),
		SameSite: http.SameSiteLaxMode, MaxAge: int(signin.AppFlowLife / time.Second),
	}
	if p.CrossSite && cookie.Secure { // browsers accept it over HTTPS only
		cookie.SameSite = http.SameSiteNoneMode
	}
	return started, cookie, err
}

// end returns when a flow that begins or continues now expires.
func (s *service) end(to signin.Flow) int64 {
	life := signin.FlowLife
	if to.Mobile != nil || to.Desktop != nil {
		life = signin.AppFlowLife
	}
	return s.Clock.Now().Add(life).UnixMilli()
}

// Resume returns the login that a provider's answer belongs to; see ports.Identities.
func (s *service) Resume(
	w http.ResponseWriter, r *http.Request, p signin.Provider, state string,
) (signin.Started, bool) {
	started, err := s.resume(r, p, state)
	if err != nil {
		s.answer(w, r, content{Provider: p.Name}, err)
		return signin.Started{}, false
	}
	return started, true
}

func (s *service) resume(r *http.Request, p signin.Provider, state string) (signin.Started, error) {
	_, by, err := s.visit(r)
	if err != nil {
		return signin.Started{}, err
	}
	var found *flow
	err = s.Work.Do(r.Context(), func(ctx context.Context) error {
		if found, err = s.find(ctx, r, by, state); err != nil {
			return err
		}
		if found.Provider != p.ID || found.Identity != "" {
			return expired()
		}
		return s.take(ctx, found)
	})
	if err != nil {
		return signin.Started{}, err
	}
	started := found.started(state)
	started.Browser = browserOf(r)
	return started, nil
}

// find returns a flow that the browser has begun. Errors: BadRequest.
func (s *service) find(ctx context.Context, r *http.Request, by user.Actor, state string) (*flow, error) {
	browser := browserOf(r)
	if browser == "" || state == "" || len(state) > 64 {
		return nil, expired()
	}
	f, err := s.rows.Flow(ctx, by.Realm, session.Hash(state), s.Clock.Now())
	if err != nil {
		return nil, err
	}
	if f == nil || subtle.ConstantTimeCompare([]byte(f.Browser), []byte(session.Hash(browser))) != 1 {
		return nil, expired()
	}
	return f, nil
}

// take ends a flow. Errors: BadRequest if another request has done so.
func (s *service) take(ctx context.Context, f *flow) error {
	existed, err := s.rows.TakeFlow(ctx, f.Hash)
	if err == nil && !existed {
		err = expired()
	}
	return err
}

// expired is the error for all flows that cannot continue.
func expired() error {
	return errs.Bad("This login has expired, has been completed, or was begun in another browser. Log in again.")
}

// visit returns the view of the organization at the request's host, and the caller; see page.Visit.
func (s *service) visit(r *http.Request) (*directory.View, user.Actor, error) {
	return page.Visit(r, s.Directory, s.Realms, s.Sessions)
}

// forget is the job that deletes expired flows and codes.
func (s *service) forget(ctx context.Context) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.rows.ForgetCodes(ctx, s.Clock.Now().Add(-codeWindow)); err != nil {
			return err
		}
		return s.rows.ForgetFlows(ctx, s.Clock.Now())
	})
}
