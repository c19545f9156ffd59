package invites

import (
	_ "embed"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed page.html
var pageText string

var pageTemplate = page.Template("page", pageText)

// pageContent is the template data of the page.
type pageContent struct {
	page.Preference
	page.PasswordRules

	Realm   string
	Inviter string // the inviter's name; "": none

	Form     bool   // show the form
	Email    string // the address that was entered or proven
	Proven   bool   // Email is proven and cannot be changed
	Name     string
	Password bool // the form creates an account, so it has fields for name and password

	Local string // Site if only browsers on the server's machine can open it, else ""

	Sent   bool   // a confirmation email was sent
	Joined bool   // an account was created
	Site   string // the URL for logging in

	cookies []*http.Cookie // the cookies of the new user's session; nil: not logged in
}

// RedirectTarget implements page.Redirector. It redirects a new user who is logged in to the web client.
func (p pageContent) RedirectTarget() (string, []*http.Cookie) {
	if p.cookies == nil {
		return "", nil
	}
	return "/", p.cookies
}

// page returns the handler of the page on which people accept an invitation. Only submitting its form has an effect,
// because email programs load links automatically.
func (s *service) page() http.Handler {
	return page.Handler("join", pageTemplate, s.Logger, s.answer)
}

// answer returns the content of the page. If the form is invalid, it returns the content to show again and the error.
func (s *service) answer(r *http.Request) (pageContent, error) {
	ctx := r.Context()
	e := applicant{From: page.ClientNetwork(r), Language: page.Language(r)}
	var err error
	if e.Key, err = keyOf(r); err != nil {
		return pageContent{}, err
	}
	if e.Key == "" {
		if e.Realm, err = s.Realms.Resolve(ctx, page.Host(r)); err == nil && e.Realm == 0 {
			err = errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
		}
		if err != nil {
			return pageContent{}, err
		}
	}
	v, d, err := s.resolve(ctx, e.Realm, e.Key)
	if err != nil {
		return pageContent{}, err
	}
	p := pageContent{
		Preference: page.Preference{Organization: v.Realm().Settings.DefaultLanguage},
		Realm:      v.Realm().Settings.Name, Form: true, Email: d.email, Proven: d.email != "", Password: !d.confirm,
		PasswordRules: page.NewPasswordRules(s.Passwords.MinLength()),
	}
	if p.Site, err = s.site(ctx, v.Realm()); err != nil {
		return pageContent{}, err
	}
	if p.Site == "" {
		p.Site = page.Origin(r)
	}
	if page.Local(p.Site) {
		p.Local = p.Site
	}
	if d.by != nil && v.User(d.by.Inviter) != nil {
		p.Inviter = v.User(d.by.Inviter).FullName
	}
	if r.Method != http.MethodPost {
		return p, nil
	}
	if err := page.ReadForm(r); err != nil {
		return pageContent{}, err
	}
	e.Email, e.Name, e.Password = r.PostForm.Get("email"), r.PostForm.Get("full_name"), r.PostForm.Get("password")
	j, err := s.join(ctx, e)
	if err != nil {
		if p.Name = e.Name; !p.Proven {
			p.Email = e.Email
		}
		if errs.Is(err, errs.NotFound) {
			return pageContent{}, err
		}
		return p, err
	}
	p.Form, p.Sent, p.Joined, p.Email = false, j.Confirm, !j.Confirm, j.Email
	if p.Joined {
		p.cookies = s.logIn(r, j)
	}
	return p, nil
}

// logIn starts a session for a new user and returns its cookies. It returns nil if the server has no sessions, the
// request was sent to a host name other than the organization's, or the session cannot be started; the page then
// explains how to log in.
func (s *service) logIn(r *http.Request, j joined) []*http.Cookie {
	if s.Sessions == nil {
		return nil
	}
	ctx := r.Context()
	if at, err := s.Realms.Resolve(ctx, page.Host(r)); err != nil || at != j.Realm.ID {
		return nil
	}
	by := page.Visitor(r)
	by.Realm, by.User = j.Realm.ID, j.User
	begun, err := s.Sessions.Begin(ctx, by, j.User)
	if err != nil {
		s.Logger.WarnContext(ctx, "cannot log in the user who has joined", "user", j.User, "error", err)
		return nil
	}
	return page.SessionCookies(r, begun)
}

// keyOf returns the key in the page's URL, or "" for openPath. Errors: NotFound.
func keyOf(r *http.Request) (string, error) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	if path == openPath {
		return "", nil
	}
	for _, prefix := range []string{linkPath + "/", mailPath + "/"} {
		if key, ok := strings.CutPrefix(path, prefix); ok && key != "" {
			return key, nil
		}
	}
	return "", invalidInvite()
}
