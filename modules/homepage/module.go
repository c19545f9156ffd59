package homepage

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
)

// Module serves the page at /.
var Module = kit.Provide("homepage", "A page for people who open the server's address in a browser.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	Collected  *kit.Collected
	Directory  ports.Directory
	Realms     ports.Realms
	Site       ports.Site
	Logger     *slog.Logger
	Sessions   ports.Sessions   `optional:"true"`
	Login      ports.LoginPage  `optional:"true"`
	Spectators ports.Spectators `optional:"true"`
}

//go:embed home.html
var homeText string

var homePage = page.Template("home", homeText)

// Pages of other modules to which this page links.
const (
	signUpPath   = "/register"
	loginPath    = "/login"
	logoutPath   = "/accounts/logout"
	passwordPath = "/accounts/password/reset"
)

const organizationsPath = "/organizations"

func wire(_ Config, n needs) (kit.Parts, ports.HomePage, error) {
	s := &service{needs: n}
	return kit.Parts{Endpoints: []kit.Endpoint{
		kit.Mount("/", kit.Anyone, s.root(page.Handler("home", homePage, n.Logger, s.homeData)),
			"The web client, or the login page for people who are not logged in.").MaxBody(page.MaxBody),
		kit.Mount(organizationsPath, kit.Anyone,
			page.Handler("organizations", organizationsTemplate, n.Logger, s.organizationsPage),
			"The organizations of this server that the browser has logged in to.").MaxBody(page.MaxBody),
		kit.GET("/organizations", kit.Users, s.list,
			"Lists the organizations of this server that the browser has logged in to, most recent first."),
	}}, s, nil
}

type service struct {
	needs
	client ports.WebClient // nil: none
}

// Show sets the client; see ports.HomePage.
func (s *service) Show(c ports.WebClient) error {
	if s.client != nil {
		return errors.New("there are two web clients; leave out the module of one of them")
	}
	s.client = c
	return nil
}

// root serves the web client, if the server includes it, to logged-in users and to visitors who can read channels
// without logging in. Other visitors get the login page. If there is none, and for everything else, it calls home.
func (s *service) root(home http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Sessions == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
			home.ServeHTTP(w, r)
			return
		}
		web := s.client != nil && s.client.Built()
		id, err := s.Realms.Resolve(r.Context(), page.Host(r))
		if err != nil || id == 0 { // the page explains the error
			home.ServeHTTP(w, r)
			return
		}
		cookie := page.SessionValue(r)
		a, err := s.Sessions.Session(r.Context(), id, cookie)
		if err == nil && web {
			s.rememberRealm(w, r, id)
			s.setOwner(w, r, a)
			s.client.Page(w, r, id, session.CSRF(cookie))
			return
		}
		ended := errs.Is(err, errs.Unauthorized) || errs.Is(err, errs.UserDeactivated)
		if ended {
			forgetSession(w, r)
		}
		switch {
		case web && s.hasPublicChannels(r.Context(), id):
			s.client.Page(w, r, id, "")
		case ended && s.Login != nil:
			s.Login.ServeHTTP(w, r)
		default:
			home.ServeHTTP(w, r)
		}
	})
}

// setOwner sets the cookie with the owner of the caller's session, unless the browser has it.
func (s *service) setOwner(w http.ResponseWriter, r *http.Request, a user.Actor) {
	v, err := s.Directory.View(r.Context(), a.Realm)
	if err != nil || v.Realm() == nil || v.Session(a.Session) == nil {
		return
	}
	owner := session.Owner(v.Realm().UUID, a.User)
	if c, err := r.Cookie(session.OwnerName(page.Secure(r))); err != nil || c.Value != owner {
		http.SetCookie(w, page.OwnerCookie(r, owner, time.Unix(v.Session(a.Session).Ends, 0)))
	}
}

// forgetSession deletes the cookies of a session that has ended, if the browser has any.
func forgetSession(w http.ResponseWriter, r *http.Request) {
	for _, c := range page.ExpiredSessionCookies(r) {
		if _, err := r.Cookie(c.Name); err == nil {
			http.SetCookie(w, c)
		}
	}
}

// hasPublicChannels reports whether an organization has channels that can be read without logging in.
func (s *service) hasPublicChannels(ctx context.Context, id realm.ID) bool {
	if s.Spectators == nil {
		return false
	}
	if admits, err := s.Spectators.Admits(ctx, id); err != nil || !admits {
		return false
	}
	v, err := s.Directory.View(ctx, id)
	if err != nil || v.Realm() == nil || v.Realm().Deactivated {
		return false
	}
	for c := range v.Channels() {
		if c.WebPublic && !c.Archived {
			return true
		}
	}
	return false
}

// pageData is the data of the page.
type pageData struct {
	page.Preference

	Realm    string // "" if there is no organization at this address
	Address  string // to enter in an app
	SignUp   string // path of the sign-up page; "" if joining requires an invitation
	Password string // path of the page for forgotten passwords; "" if there is none
	Login    string // path of the login page for browsers; "" if there is none
	Logout   string // path of the logout page
	Name     string // name of the logged-in user; "" if not logged in
	Others   bool   // other addresses of this server have organizations
	NoWeb    bool   // the web client is enabled, but the server was built without it
}

// homeData returns the data of the page for the organization at the request's host.
func (s *service) homeData(r *http.Request) (pageData, error) {
	ctx := r.Context()
	p := pageData{Address: s.Site.URL()}
	if p.Address == "" {
		p.Address = page.Origin(r)
	}
	id, err := s.Realms.Resolve(ctx, page.Host(r))
	if errs.Is(err, errs.NonexistentSubdomain) || err == nil && id == 0 {
		all, err := s.Realms.All(ctx)
		p.Others = len(all) > 0
		return p, err
	}
	if err != nil {
		return pageData{}, err
	}
	v, err := s.Directory.View(ctx, id)
	if errs.Is(err, errs.NotFound) || err == nil && v.Realm() == nil {
		return p, nil
	}
	if err != nil {
		return pageData{}, err
	}
	if v.Realm().Deactivated {
		return pageData{}, errs.New(errs.NotFound, "This organization has been deactivated.")
	}
	p.Realm, p.Organization = v.Realm().Settings.Name, v.Realm().Settings.DefaultLanguage
	address, err := page.Address(ctx, s.Site, s.Realms, v.Realm())
	if address != "" {
		p.Address = address
	}
	if !v.Realm().Settings.InviteRequired && s.Collected.Mounted(signUpPath) {
		p.SignUp = signUpPath + "/"
	}
	if v.Realm().Settings.PasswordAuth && s.Collected.Mounted(passwordPath) {
		p.Password = passwordPath + "/"
	}
	if err != nil || s.Sessions == nil || !s.Collected.Mounted(loginPath) {
		return p, err
	}
	p.Login = loginPath + "/"
	p.NoWeb = s.client != nil && !s.client.Built()
	a, err := s.Sessions.Session(ctx, id, page.SessionValue(r))
	switch {
	case err == nil:
		if v, err = s.Directory.View(ctx, id); err == nil { // read after the session, so that it includes the user
			p.Name, p.Logout, p.Own = v.User(a.User).FullName, logoutPath+"/", v.User(a.User).Settings.DefaultLanguage
		}
	case errs.Is(err, errs.Unauthorized), errs.Is(err, errs.UserDeactivated):
		err = nil
	}
	return p, err
}
