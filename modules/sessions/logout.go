package sessions

import (
	"context"
	"crypto/subtle"
	_ "embed"
	"html/template"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed logout.html
var logoutText string

var logoutTemplate = template.Must(template.New("logout").Parse(logoutText))

// logoutShown is the data of the confirmation page for browsers without JavaScript.
type logoutShown struct {
	page.Preference

	Realm, Name, Token string

	away
}

// logoutPage asks for confirmation, and logs out on a POST with the session's CSRF token.
func (s *service) logoutPage(r *http.Request) (logoutShown, error) {
	if strings.TrimSuffix(r.URL.Path, "/") != logoutPath {
		return logoutShown{}, errs.New(errs.NotFound, "This page does not exist.")
	}
	v, by, err := s.visitor(r)
	if err != nil {
		return logoutShown{}, err
	}
	gone := away{afterLogout, []*http.Cookie{page.NoSession(r)}}
	if by.User == 0 {
		return logoutShown{away: gone}, nil
	}
	token := session.CSRF(page.SessionOf(r))
	if r.Method != http.MethodPost {
		u := v.User(by.User)
		return logoutShown{
			Preference: page.Preference{Own: u.Settings.DefaultLanguage, Organization: v.Realm().Settings.DefaultLanguage},
			Realm:      v.Realm().Settings.Name, Name: u.FullName, Token: token,
		}, nil
	}
	if err := page.ReadForm(r); err != nil {
		return logoutShown{}, err
	}
	given := r.Header.Get("X-CSRFToken")
	if given == "" {
		given = r.PostForm.Get("csrfmiddlewaretoken")
	}
	if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
		return logoutShown{}, errs.New(errs.CSRF,
			"This form does not belong to your current session. Reload the page and try again.")
	}
	err = s.Work.Do(r.Context(), func(ctx context.Context) error { return s.leave(ctx, by, by.Session) })
	return logoutShown{away: gone}, err
}
