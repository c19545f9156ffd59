package confirmations

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/stoachat/stoa/domain/confirmation"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed password.html
var passwordText string

var passwordPage = page.Template("password", passwordText)

// passwordData is the data of the pages for forgotten passwords.
type passwordData struct {
	page.Preference
	page.PasswordRules

	Realm, Email, Site string
	Name               string // of the person who sets a password, which must not contain it
	Ask, Sent          bool   // the page to request an email, before and after submission
	Set, Done          bool   // the page to set a new password, before and after submission
}

// servePassword serves the page to request an email, and the page that the email links to.
func (s *service) servePassword(r *http.Request) (passwordData, error) {
	key, err := keyOf(passwordPath, r.URL.Path)
	switch {
	case err != nil:
		return passwordData{}, err
	case key == "":
		return s.serveRequestForm(r)
	}
	return s.serveResetForm(r, key)
}

// serveRequestForm serves the page to request an email, and handles its form.
func (s *service) serveRequestForm(r *http.Request) (passwordData, error) {
	ctx := r.Context()
	id, err := s.Realms.Resolve(ctx, page.Host(r))
	if err == nil && id == 0 {
		err = errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
	}
	if err != nil {
		return passwordData{}, err
	}
	v, err := s.Directory.View(ctx, id)
	if err != nil {
		return passwordData{}, err
	}
	if err := s.checkResetByEmail(v); err != nil {
		return passwordData{}, err
	}
	p := passwordData{Preference: page.Preference{Organization: v.Realm().Settings.DefaultLanguage},
		Realm: v.Realm().Settings.Name, Ask: true}
	if r.Method != http.MethodPost {
		return p, nil
	}
	if err := page.ReadForm(r); err != nil {
		return passwordData{}, err
	}
	p.Email = r.PostForm.Get("email")
	email, err := user.CheckEmail(p.Email)
	if err != nil {
		return p, err
	}
	if err := s.queueReset(ctx, id, email, page.ClientNetwork(r)); err != nil {
		return p, err
	}
	p.Ask, p.Sent, p.Email = false, true, email
	return p, nil
}

// checkResetByEmail checks that the server can reset passwords by email. Errors: NotFound, BadRequest.
func (s *service) checkResetByEmail(v *directory.View) error {
	if err := checkPasswordAuth(v); err != nil {
		return err
	}
	if !s.Outbox.Delivers() {
		return errs.Bad("This server does not send email. Ask an owner of the organization for a link to set a new password.")
	}
	return nil
}

// checkPasswordAuth checks that the organization allows logins with a password. Errors: NotFound, BadRequest.
func checkPasswordAuth(v *directory.View) error {
	switch {
	case v.Realm() == nil || v.Realm().Deactivated:
		return errs.New(errs.NotFound, "This organization has been deactivated.")
	case !v.Realm().Settings.PasswordAuth:
		return errs.Bad("Password authentication is disabled in this organization")
	}
	return nil
}

// queueReset queues the email that resets a password. It does the same work whether or not the address has an account.
// Errors: RateLimit and those of checkResetByEmail.
func (s *service) queueReset(ctx context.Context, r realm.ID, email, from string) error {
	c := confirmation.Confirmation{Realm: r, Kind: confirmation.Password, Email: email}
	if _, err := s.checkLimit(ctx, c, from); err != nil { // so that excess requests do not lock the realm
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r) // serializes changes in the realm
		if err != nil {
			return err
		}
		if err := s.checkResetByEmail(v); err != nil {
			return err
		}
		if err := s.count(ctx, c, from); err != nil {
			return err
		}
		return s.queueEmail(ctx, c, s.cfg.PasswordValidity)
	})
}

// userByEmail returns the active human user with an email address, or nil.
func userByEmail(v *directory.View, email string) *user.User {
	u := v.UserByEmail(email)
	if u == nil || u.IsBot() || u.System || !u.Active {
		return nil
	}
	return u
}

// serveResetForm serves the page to set a new password, and handles its form.
func (s *service) serveResetForm(r *http.Request, key string) (passwordData, error) {
	ctx := r.Context()
	c, err := s.find(ctx, confirmation.Password, key)
	if err != nil {
		return passwordData{}, err
	}
	v, err := s.Directory.View(ctx, c.Realm)
	if err != nil {
		return passwordData{}, err
	}
	u, err := userForReset(v, c)
	if err != nil {
		return passwordData{}, err
	}
	p := passwordData{
		Preference: page.Preference{Own: u.Settings.DefaultLanguage}, Realm: v.Realm().Settings.Name, Email: u.DeliveryEmail,
		Name: u.FullName, Set: true, PasswordRules: page.NewPasswordRules(s.Passwords.MinLength()),
	}
	if p.Site, err = page.Address(ctx, s.Site, s.Realms, v.Realm()); err != nil {
		return passwordData{}, err
	}
	if p.Site == "" {
		p.Site = page.Origin(r)
	}
	if r.Method != http.MethodPost {
		return p, nil
	}
	if err := page.ReadForm(r); err != nil {
		return passwordData{}, err
	}
	hash, err := s.Passwords.Hash(ctx, r.PostForm.Get("password"), u.DeliveryEmail, u.FullName, p.Realm)
	if err != nil {
		return p, err
	}
	if err := s.reset(ctx, c, hash); err != nil {
		return passwordData{}, err
	}
	p.Set, p.Done = false, true
	return p, nil
}

// userForReset returns the user whose password a confirmation changes. Errors: NotFound if the confirmation is
// obsolete, and those of checkPasswordAuth.
func userForReset(v *directory.View, c *confirmation.Confirmation) (*user.User, error) {
	if err := checkPasswordAuth(v); err != nil {
		return nil, err
	}
	u := userByEmail(v, c.Email)
	if u == nil {
		return nil, invalidLink()
	}
	return u, nil
}

// reset stores the new password. It repeats all checks, since the link may have been used in the meantime.
func (s *service) reset(ctx context.Context, c *confirmation.Confirmation, hash string) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.reverify(ctx, c)
		if err != nil {
			return err
		}
		u, err := userForReset(v, c)
		if err != nil {
			return err
		}
		if err := s.store.End(ctx, c.ID, s.Clock.Now()); err != nil {
			return err
		}
		return s.Credentials.ResetPassword(
			ctx,
			user.Actor{Realm: c.Realm, User: u.ID, Role: u.Role, Client: "website"},
			u.ID,
			hash,
		)
	})
}
