package twofactor

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/secondfactor"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed page.html
var pageText string

var pageTemplate = page.Template("second factor", pageText)

// content is the data of the page.
type content struct {
	page.Preference

	Realm  string
	Step   string // identifies the login in the form
	Form   bool   // ask for a code
	Wrong  bool   // wrong code
	QR     picture
	Secret string   // of an app that is to be set up, in groups
	Codes  []string // new recovery codes
	Next   bool     // offer to continue
	// JSON with which the browser asks for a passkey; "": the person has none
	Options string
	Refused bool // the passkey was not accepted

	page.Finished
}

// page asks for a second factor, or sets one up if the organization requires it of a person who has none.
func (s *service) page(r *http.Request) (content, error) {
	if strings.TrimSuffix(r.URL.Path, "/") != pagePath {
		return content{}, errs.New(errs.NotFound, "This page does not exist.")
	}
	v, by, err := s.visit(r)
	if err != nil {
		return content{}, err
	}
	c := content{
		Preference: page.Preference{Organization: v.Realm().Settings.DefaultLanguage}, Realm: v.Realm().Settings.Name,
		Step: r.URL.Query().Get("step"),
	}
	if r.Method == http.MethodPost {
		if err := page.ReadForm(r); err != nil {
			return content{}, err
		}
		c.Step = r.PostForm.Get("step")
	}
	one, err := s.find(r.Context(), r, by.Realm, c.Step)
	if err != nil {
		return content{}, err
	}
	u := v.User(one.UserID)
	if u == nil || !u.Active {
		return content{}, expired()
	}
	c.Own = u.Settings.DefaultLanguage
	if r.Method != http.MethodPost {
		return s.describe(r, c, v, u, one)
	}
	if one.Given == 0 {
		if err := s.try(r.Context(), one); err != nil {
			return content{}, err
		}
	}
	code := strings.TrimSpace(r.PostForm.Get("code"))
	done, err := kit.Tx(r.Context(), s.Work, func(ctx context.Context) (content, error) {
		if r.PostForm.Has("credential") && one.Given == 0 {
			return s.givenKey(ctx, r, by, c, u, one)
		}
		return s.given(ctx, r, by, c, one, code)
	})
	if err != nil || !done.Wrong && !done.Refused {
		return done, err
	}
	f := fact(by, audit.SecondFactorRefused, u.ID, "")
	f.Refused = true
	if err := s.Audit.Record(r.Context(), f); err != nil {
		return content{}, err
	}
	return s.describe(r, done, v, u, one)
}

// describe adds what the page shows to a person who is to enter a code.
func (s *service) describe(
	r *http.Request, c content, v *directory.View, u *user.User, one *step,
) (content, error) {
	ctx := r.Context()
	f, err := s.rows.Of(ctx, u.ID)
	switch {
	case err != nil:
		return content{}, err
	case one.Given != 0:
		c.Next = true
		return c, nil
	case f.any():
		c.Form = true
		c.Options, err = s.challenge(ctx, page.Origin(r), c.Realm, u, one)
		return c, err
	}
	secret, err := s.secretOf(ctx, one)
	if err != nil {
		return content{}, err
	}
	c.Form, c.Secret = true, grouped(secret)
	c.QR, err = draw(secondfactor.URI(secret, v.Realm().Settings.Name, u.DeliveryEmail))
	return c, err
}

// secretOf returns the secret of the app that is set up during a login.
func (s *service) secretOf(ctx context.Context, one *step) (string, error) {
	if one.Secret != "" {
		return s.open(one.UserID, one.Secret)
	}
	secret := secondfactor.NewSecret()
	var err error
	if one.Secret, err = s.seal(one.UserID, secret); err != nil {
		return "", err
	}
	return secret, s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.ChangeStep(ctx, one) })
}

// grouped separates the characters of a secret for people who type it.
func grouped(secret string) string {
	var groups []string
	for ; len(secret) > 4; secret = secret[4:] {
		groups = append(groups, secret[:4])
	}
	return strings.Join(append(groups, secret), " ")
}

// givenKey continues with a passkey. It must be called inside Do.
func (s *service) givenKey(
	ctx context.Context, r *http.Request, by user.Actor, c content, u *user.User, one *step,
) (content, error) {
	if _, err := s.Directory.View(ctx, by.Realm); err != nil { // before a row is locked, to avoid deadlocks
		return content{}, err
	}
	err := s.second(ctx, page.Origin(r), c.Realm, u, one, r.PostForm.Get("credential"))
	if errs.Is(err, errs.BadRequest) {
		s.Logger.InfoContext(ctx, "a passkey was refused", "error", errors.Unwrap(err))
		c.Refused = true
		return c, nil
	}
	if err != nil {
		return content{}, err
	}
	c.Finished, err = s.finish(ctx, r, by, one, key)
	return c, err
}

// given continues with the code that a person has entered. It must be called inside Do.
func (s *service) given(
	ctx context.Context, r *http.Request, by user.Actor, c content, one *step, code string,
) (content, error) {
	if _, err := s.Directory.View(ctx, by.Realm); err != nil { // before a row is locked, to avoid deadlocks
		return content{}, err
	}
	f, err := s.rows.Of(ctx, one.UserID)
	if err != nil {
		return content{}, err
	}
	if one.Given != 0 {
		c.Finished, err = s.finish(ctx, r, by, one, app)
		return c, err
	}
	if f.any() {
		kind, err := s.use(ctx, f, code)
		if err != nil || kind == "" {
			c.Wrong = true
			return c, err
		}
		c.Finished, err = s.finish(ctx, r, by, one, kind)
		return c, err
	}
	if one.Secret == "" { // the page has not been opened yet
		return content{}, expired()
	}
	right, err := s.install(ctx, by.Realm, one.UserID, one.Secret, code)
	if err != nil || !right {
		c.Wrong = true
		return c, err
	}
	now := *one
	now.Given = 1
	if err := s.rows.ChangeStep(ctx, &now); err != nil {
		return content{}, err
	}
	by.User = one.UserID
	if err := s.changed(ctx, by, one.UserID, appAdded); err != nil {
		return content{}, err
	}
	c.Next = true
	c.Codes, err = s.issue(ctx, by.Realm, one.UserID)
	return c, err
}
