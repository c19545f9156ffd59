package sessions

import (
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed token.html
var tokenText string

var tokenTemplate = template.Must(template.New("token").Parse(tokenText))

// Finish completes a login by another module's method; see ports.SignIns.
func (s *service) Finish(ctx context.Context, by user.Actor, id user.ID, f signin.Flow) (signin.Outcome, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (signin.Outcome, error) {
		v, err := s.Directory.View(ctx, by.Realm)
		if err != nil {
			return signin.Outcome{}, err
		}
		u, err := activeUser(v, id)
		if err != nil {
			return signin.Outcome{}, err
		}
		if !f.SecondFactor {
			c, _, err := s.SecondStep.Ask(ctx, signin.SecondStep{Realm: by.Realm, User: id, Flow: f})
			if err != nil || c.Page != "" {
				return signin.Outcome{Second: &c}, err
			}
		}
		switch {
		case f.Mobile != nil:
			return s.toMobile(ctx, by, u, f)
		case f.Desktop != nil:
			return s.toDesktop(ctx, by, id, f)
		}
		begun, err := s.begin(ctx, by, id, f)
		return signin.Outcome{Session: &begun}, err
	})
}

// EndAll ends the sessions of a user; see ports.SignIns.
func (s *service) EndAll(ctx context.Context, r realm.ID, u user.ID, except session.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.endAllExcept(ctx, r, u, except) })
}

// End ends sessions; see ports.SignIns.
func (s *service) End(ctx context.Context, r realm.ID, ids ...session.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Directory.View(ctx, r); err != nil { // serializes changes in the realm
			return err
		}
		found, err := s.rows.ByID(ctx, ids)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(one *row) bool { return one.RealmID != r })
		return s.end(ctx, r, found)
	})
}

// toMobile issues an API key to a mobile app. It must be called inside Do.
func (s *service) toMobile(ctx context.Context, by user.Actor, u *user.User, f signin.Flow) (signin.Outcome, error) {
	key, err := s.Accounts.IssueKey(ctx, by, u.ID)
	if err != nil {
		return signin.Outcome{}, err
	}
	to, err := signin.AppAddress(by.URL, u, key, f.Mobile)
	return signin.Outcome{App: to}, err
}

// toDesktop issues a token with which a desktop app starts its own session. It must be called inside Do.
func (s *service) toDesktop(ctx context.Context, by user.Actor, id user.ID, f signin.Flow) (signin.Outcome, error) {
	secret := session.NewSecret()
	code, err := signin.Code(secret, f.Desktop)
	if err != nil {
		return signin.Outcome{}, err
	}
	ends := s.Clock.Now().Add(signin.TokenLife)
	return signin.Outcome{Code: code}, s.rows.AddToken(ctx, &token{
		Hash: session.Hash(secret), RealmID: by.Realm, UserID: id, Next: f.Next, EndsAt: ends.UnixMilli(),
		LimitAt: limit(f.Ends),
	})
}

// tokenData is the data of the page for an invalid token.
type tokenData struct{ page.Finished }

// tokenPage starts a session for a one-time token. The app opens the page with GET.
func (s *service) tokenPage(r *http.Request) (tokenData, error) {
	_, by, err := s.visitor(r)
	if err != nil {
		return tokenData{}, err
	}
	secret, ok := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, "/"), tokenPath+"/")
	if !ok || secret == "" || r.Method != http.MethodGet {
		return tokenData{}, invalidToken()
	}
	before := by.Session
	by.User, by.Role, by.Session = 0, 0, 0
	return kit.Tx(r.Context(), s.Work, func(ctx context.Context) (tokenData, error) {
		if _, err := s.Directory.View(ctx, by.Realm); err != nil { // before a row is locked, to avoid deadlocks
			return tokenData{}, err
		}
		t, err := s.rows.TakeToken(ctx, by.Realm, session.Hash(secret), s.Clock.Now())
		if err != nil {
			return tokenData{}, err
		}
		if t == nil {
			return tokenData{}, invalidToken()
		}
		if err := s.endByID(ctx, by, before); err != nil {
			return tokenData{}, err
		}
		begun, err := s.begin(ctx, by, t.UserID, signin.Flow{Ends: ends(t.LimitAt)})
		return tokenData{page.Open(t.Next, page.SessionCookies(r, begun)...)}, err
	})
}

// invalidToken is the error for all tokens that cannot be used.
func invalidToken() error {
	return errs.New(errs.NotFound, "This login is no longer valid: it has already been used or has expired. Log in again.")
}
