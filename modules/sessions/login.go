package sessions

import (
	"context"
	_ "embed"
	"errors"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed login.html
var loginText string

var loginTemplate = page.Template("login", loginText)

// loginData is the data of the login page.
type loginData struct {
	page.Preference

	Realm       string
	Icon        string // address of the organization's icon, from the server's root
	Description string // the organization's
	Methods     []signin.Method

	Form     bool   // password login is enabled here
	Owner    bool   // the form is for owners, since it is disabled for others
	Owners   string // the page with that form; "": passwords are enabled, or nobody has a second factor
	Names    bool   // people may log in with a name in place of their email address
	Username string
	Next     string
	Flow     url.Values // the parameters of an app that waits
	Wrong    bool       // wrong address or password
	SignUp   string     // path of the sign-up page; "" if it is not served or joining requires an invitation
	Forgot   string     // path of the page for forgotten passwords; "" if it is not served or the server sends no email
	AskOwner bool       // owners can create links to set a new password
	Helper   string     // the name of such an owner; "" if visitors cannot see any
	Address  string     // to enter in an app

	page.Finished
}

// Illustrated implements page.Illustrated.
func (p loginData) Illustrated() bool { return p.Icon != "" }

// Script implements page.Scripted.
func (p loginData) Script() template.JS {
	if !p.Form {
		return ""
	}
	var b strings.Builder
	for _, m := range p.Methods {
		b.WriteString(m.Script)
	}
	return template.JS(b.String()) // #nosec G203 -- scripts of modules
}

// loginPage serves the login form and handles its submission. Without a session there is no CSRF token yet, so
// page.ReadForm checks the request's origin to prevent other sites from logging a browser in.
func (s *service) loginPage(r *http.Request) (loginData, error) {
	if p := strings.TrimSuffix(r.URL.Path, "/"); p != loginPath && p != loginAlias && p != rootPath {
		return loginData{}, errs.New(errs.NotFound, "This page does not exist.")
	}
	v, by, err := s.visitor(r)
	if err != nil {
		return loginData{}, err
	}
	p := loginData{
		Preference: page.Preference{Organization: v.Realm().Settings.DefaultLanguage},
		Realm:      v.Realm().Settings.Name,
		Next:       session.Next(r.URL.Query().Get("next")),
	}
	if p.Form, p.Names, err = s.Passwords.Accepted(r.Context(), by.Realm); err != nil {
		return loginData{}, err
	}
	if _, err := signin.ParseFlow(r.URL.Query()); err != nil {
		return p, err
	}
	if !v.Realm().Settings.InviteRequired && s.mounted(signUpPath) {
		p.SignUp = signUpPath + "/"
	}
	if err := s.describe(r, v, &p); err != nil {
		return loginData{}, err
	}
	s.offerOwners(r, &p)
	if r.Method != http.MethodPost {
		p.keep(r.URL.Query())
		if by.User != 0 && p.Flow == nil {
			p.Finished = page.Open(p.Next)
		}
		return p, nil
	}
	if err := page.ReadForm(r); err != nil {
		return loginData{}, err
	}
	p.Username = r.PostForm.Get("username")
	if r.PostForm.Has("next") {
		p.Next = session.Next(r.PostForm.Get("next"))
	}
	flow, err := signin.ParseFlow(r.PostForm)
	if err != nil {
		return p, err
	}
	p.keep(r.PostForm)
	flow.Next = p.Next
	out, err := s.logIn(r.Context(), by, p.Username, r.PostForm.Get("password"), flow)
	switch {
	case err == nil:
		p.Finished = page.Finish(r, out, flow)
	case errs.Is(err, errs.AuthenticationFailed), errs.Is(err, errs.UserDeactivated):
		p.Wrong = true
		return p, nil
	case errs.Is(err, errs.RateLimit):
		return p, rateLimitError(err)
	case errs.Is(err, errs.PasswordAuthDisabled):
		p.Wrong = r.PostForm.Has(ownerKey)
		p.Owner, p.Form = p.Wrong, p.Wrong
		return p, nil
	}
	return p, err
}

// ownerKey is the parameter of the login page that shows owners the form although passwords are disabled.
const ownerKey = "owner"

// secondFactorPath is served if people can have a second factor.
const secondFactorPath = "/accounts/second-factor"

// offerOwners adds the form for owners who may log in with a password although it is disabled, or a link to it.
func (s *service) offerOwners(r *http.Request, p *loginData) {
	if p.Form || !s.mounted(secondFactorPath) {
		return
	}
	q := r.URL.Query()
	if p.Owner = q.Has(ownerKey); p.Owner {
		p.Form = true
		return
	}
	q.Set(ownerKey, "1")
	p.Owners = loginPath + "/?" + q.Encode()
}

// keep keeps the pad of an app that waits in the form.
func (p *loginData) keep(q url.Values) {
	for _, name := range []string{"mobile_flow_otp", "desktop_flow_otp"} {
		if q.Has(name) {
			p.Flow = url.Values{name: {q.Get(name)}}
		}
	}
}

// rateLimitError converts a RateLimit error to one whose message contains the time to wait.
func rateLimitError(err error) error {
	e := errs.New(errs.RateLimit, "Too many failed login attempts. Please try again later.")
	var refusal *errs.Error
	if !errors.As(err, &refusal) {
		return e
	}
	seconds, ok := refusal.Extra["retry-after"].(float64)
	if !ok {
		return e
	}
	e = errs.New(errs.RateLimit, "Too many failed login attempts. Please try again in a minute.")
	if n := int(math.Ceil(seconds / 60)); n > 1 {
		e = errs.New(errs.RateLimit, "Too many failed login attempts. Please try again in %d minutes.", n)
	}
	return e.With("retry-after", seconds)
}

// visitor returns the view of the organization at the request's host, and the caller. The caller's User is 0 if the
// browser is not logged in. Errors: NotFound, NonexistentSubdomain, Unavailable.
func (s *service) visitor(r *http.Request) (*directory.View, user.Actor, error) {
	ctx := r.Context()
	by := page.Visitor(r)
	var err error
	if by.Realm, err = s.Realms.Resolve(ctx, page.Host(r)); err == nil && by.Realm == 0 {
		err = errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
	}
	if err != nil {
		return nil, by, err
	}
	v, err := s.Directory.View(ctx, by.Realm)
	if errs.Is(err, errs.NotFound) || err == nil && v.Realm() == nil {
		return nil, by, errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
	}
	if err != nil {
		return nil, by, err
	}
	if v.Realm().Deactivated {
		return nil, by, errs.New(errs.NotFound, "This organization has been deactivated.")
	}
	cookie := page.SessionValue(r)
	if cookie == "" {
		return v, by, nil
	}
	a, err := s.Session(ctx, by.Realm, cookie)
	switch {
	case err == nil:
		by.User, by.Role, by.Session = a.User, a.Role, a.Session
		v, err = s.Directory.View(ctx, by.Realm) // read after the session, so that it includes the user
	case errs.Is(err, errs.Unauthorized), errs.Is(err, errs.UserDeactivated):
		err = nil
	}
	return v, by, err
}

func (s *service) mounted(path string) bool { return s.Collected.Mounted(path) }

// logIn checks an email address and a password, and continues with the flow. If it starts a session, it ends the
// browser's previous one. Errors: AuthenticationFailed, UserDeactivated, RealmDeactivated, PasswordAuthDisabled,
// RateLimit.
func (s *service) logIn(
	ctx context.Context, by user.Actor, email, password string, f signin.Flow,
) (signin.Outcome, error) {
	_, names, err := s.Passwords.Accepted(ctx, by.Realm)
	if err != nil {
		return signin.Outcome{}, err
	}
	if _, err := user.CheckEmail(email); err != nil && !names {
		return signin.Outcome{}, errs.New(errs.AuthenticationFailed, "Your username or password is incorrect")
	}
	before := by.Session
	by.User, by.Role, by.Session = 0, 0, 0
	var out signin.Outcome
	err = kit.LimitLogins(ctx, by.Realm, email, func(ctx context.Context) error {
		return s.Passwords.Prove(ctx, by.Realm, email, password, func(ctx context.Context, u *user.User) error {
			by := by
			by.User, by.Role = u.ID, u.Role
			var err error
			if out, err = s.Finish(ctx, by, u.ID, f); err != nil || out.Session == nil {
				return err
			}
			return s.endByID(ctx, by, before)
		})
	})
	return out, err
}

// endByID ends a session if it exists. It must be called inside Do.
func (s *service) endByID(ctx context.Context, by user.Actor, id session.ID) error {
	if id == 0 {
		return nil
	}
	if _, err := s.Directory.View(ctx, by.Realm); err != nil {
		return err
	}
	found, err := s.rows.ByID(ctx, []session.ID{id})
	if err != nil {
		return err
	}
	return s.end(ctx, by.Realm, found)
}
