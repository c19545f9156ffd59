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
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed logout.html
var logoutText string

var logoutTemplate = template.Must(template.New("logout").Parse(logoutText))

// logoutData is the data of the confirmation page for browsers without JavaScript.
type logoutData struct {
	page.Preference

	Realm, Name, Token string
	Elsewhere          signin.Elsewhere // where the person is still logged in

	page.Finished
}

// logoutPage asks for confirmation and, on a POST with the session's CSRF token, logs the browser out.
func (s *service) logoutPage(r *http.Request) (logoutData, error) {
	if strings.TrimSuffix(r.URL.Path, "/") != logoutPath {
		return logoutData{}, errs.New(errs.NotFound, "This page does not exist.")
	}
	v, by, err := s.visitor(r)
	if err != nil {
		return logoutData{}, err
	}
	gone := page.ExpiredSessionCookies(r)
	if by.User == 0 {
		return logoutData{Finished: page.Open(afterLogout, gone...)}, nil
	}
	token := session.CSRF(page.SessionValue(r))
	if r.Method != http.MethodPost {
		u := v.User(by.User)
		return logoutData{
			Preference: page.Preference{Own: u.Settings.DefaultLanguage, Organization: v.Realm().Settings.DefaultLanguage},
			Realm:      v.Realm().Settings.Name, Name: u.FullName, Token: token,
		}, nil
	}
	if err := page.ReadForm(r); err != nil {
		return logoutData{}, err
	}
	given := r.Header.Get("X-CSRFToken")
	if given == "" {
		given = r.PostForm.Get("csrfmiddlewaretoken")
	}
	if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
		return logoutData{}, errs.New(errs.CSRF,
			"This form does not belong to your current session. Reload the page and try again.")
	}
	elsewhere, _, err := s.StillLoggedIn.Ask(r.Context(), signin.StillLoggedIn{Realm: by.Realm, Session: by.Session})
	if err != nil {
		return logoutData{}, err
	}
	err = s.Work.Do(r.Context(), func(ctx context.Context) error { return s.endByID(ctx, by, by.Session) })
	to := afterLogout
	if elsewhere.URL != "" { // forms may not lead to other servers, so the person follows a link
		to = ""
	}
	return logoutData{Realm: v.Realm().Settings.Name, Elsewhere: elsewhere, Finished: page.Open(to, gone...)}, err
}
