package identities

import (
	"context"
	_ "embed"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed page.html
var pageText string

// desktopScript runs on the page in the desktop app.
//
//go:embed desktop.js
var desktopScript string

var pageTemplate = page.Template("identities", pageText)

// content is the data of the pages.
type content struct {
	page.Preference

	Realm    string
	Provider string // its name; "": unknown
	Form     bool   // ask for the account's password
	State    string // identifies the flow in the form
	Email    string // the account's address
	Mailed   bool   // ask for the code that was mailed to Email
	Wrong    bool   // wrong password or code
	Continue string // the address at which a browser continues, instead of the desktop app

	page.Finished
}

// Script implements page.Scripted.
func (c content) Script() template.JS {
	if c.Continue == "" {
		return ""
	}
	return template.JS(desktopScript) // #nosec G203 -- an embedded file
}

// answer answers a request with a page or a redirect.
func (s *service) answer(w http.ResponseWriter, r *http.Request, c content, err error) {
	page.Handler("identities", pageTemplate, s.Logger, func(*http.Request) (content, error) {
		return c, err
	}).ServeHTTP(w, r)
}

// connectPage handles the form with the account's password.
func (s *service) connectPage(r *http.Request) (content, error) {
	if strings.TrimSuffix(r.URL.Path, "/") != connectPath || r.Method != http.MethodPost {
		return content{}, errs.New(errs.NotFound, "This page does not exist.")
	}
	v, by, err := s.visit(r)
	if err != nil {
		return content{}, err
	}
	if err := page.ReadForm(r); err != nil {
		return content{}, err
	}
	ctx, state := r.Context(), r.PostForm.Get("state")
	f, err := s.find(ctx, r, by, state)
	if err != nil {
		return content{}, err
	}
	if f.Identity != "" {
		kept, err := f.pending()
		if err != nil {
			return content{}, err
		}
		if kept.Mailed {
			return s.codePage(r, by, f, kept)
		}
	}
	u := v.User(f.UserID)
	if f.Identity == "" || u == nil {
		return content{}, expired()
	}
	c := content{Form: true, State: state, Email: u.DeliveryEmail}
	if err := s.try(ctx, f); err != nil {
		return content{}, err
	}
	var done content
	err = kit.LimitLogins(ctx, by.Realm, u.DeliveryEmail, func(ctx context.Context) error {
		return s.Passwords.Prove(ctx, by.Realm, u.DeliveryEmail, r.PostForm.Get("password"),
			func(ctx context.Context, u *user.User) error {
				done, err = s.proven(ctx, r, by, u, f)
				return err
			})
	})
	var refused *signin.RefusalError
	switch {
	case errs.Is(err, errs.AuthenticationFailed), errs.Is(err, errs.UserDeactivated):
		c.Wrong = true
		return c, nil
	case errors.As(err, &refused):
		return content{}, errs.Bad("You can't log in with %s. Ask an administrator of %s.", f.Provider,
			v.Realm().Settings.Name)
	}
	return done, err
}

// try counts a password that is tried. Errors: BadRequest after too many.
func (s *service) try(ctx context.Context, f *flow) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		counted, err := s.rows.Try(ctx, f.Hash, signin.MaxTries)
		if err == nil && !counted {
			err = expired()
		}
		return err
	})
}

// proven connects an identity to the account of a person who has entered its password, and logs them in. It is called
// inside Do.
func (s *service) proven(
	ctx context.Context, r *http.Request, by user.Actor, u *user.User, f *flow,
) (content, error) {
	if u.ID != f.UserID {
		return content{}, expired()
	}
	if err := s.take(ctx, f); err != nil {
		return content{}, err
	}
	verified, err := f.pending()
	if err != nil {
		return content{}, err
	}
	started, p := f.started(""), verified.Provider
	started.Intent, started.Browser, p.Link = signin.LogIn, browserOf(r), true
	return s.decide(ctx, r, by, p, started, verified.Identity)
}
