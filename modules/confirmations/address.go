package confirmations

import (
	"context"
	_ "embed"
	"html/template"
	"net/http"

	"github.com/stoachat/stoa/domain/confirmation"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed address.html
var addressText string

var addressPage = template.Must(template.New("address").Parse(addressText))

// startAddressChange starts a change of address by sending a confirmation link to the new address. Errors: BadRequest,
// RateLimit.
func (s *service) startAddressChange(ctx context.Context, m *user.EmailChangeRequested) error {
	if err := s.requireDelivery(); err != nil {
		return err
	}
	c := confirmation.Confirmation{Realm: m.Realm, Kind: confirmation.Address, User: m.User.ID, Email: m.Email}
	if err := s.count(ctx, c, m.By.From); err != nil {
		return err
	}
	if err := s.store.EndAddresses(ctx, m.Realm, m.User.ID, s.Clock.Now()); err != nil {
		return err
	}
	return s.queueEmail(ctx, c, s.cfg.AddressValidity)
}

// userForAddress returns the user whose address a confirmation changes. Errors: NotFound if the confirmation is
// obsolete, BadRequest if the rules forbid the address or it is taken.
func userForAddress(v *directory.View, c *confirmation.Confirmation) (*user.User, error) {
	u := v.User(c.User)
	switch {
	case v.Realm() == nil || v.Realm().Deactivated, u == nil || !u.Active:
		return nil, invalidLink()
	case addressTaken(v, c):
		return nil, errs.Bad("There is already an account with the address %s.", c.Email)
	}
	return u, permission.CheckNewEmail(v, u, c.Email)
}

// addressTaken reports whether another user has the address.
func addressTaken(v *directory.View, c *confirmation.Confirmation) bool {
	other := v.UserByEmail(c.Email)
	return other != nil && other.ID != c.User
}

// addressData is the data of the page that confirms a new address.
type addressData struct {
	page.Preference

	Realm, Email string
	Form, Done   bool
}

// serveAddress serves the page and handles its form.
func (s *service) serveAddress(r *http.Request) (addressData, error) {
	ctx := r.Context()
	key, err := keyOf(addressPath, r.URL.Path)
	if err != nil {
		return addressData{}, err
	}
	c, err := s.find(ctx, confirmation.Address, key)
	if err != nil {
		return addressData{}, err
	}
	v, err := s.Directory.View(ctx, c.Realm)
	if err != nil {
		return addressData{}, err
	}
	if _, err := userForAddress(v, c); err != nil {
		return addressData{}, err
	}
	p := addressData{
		Preference: page.Preference{Own: languageOf(v, c).Code},
		Realm:      v.Realm().Settings.Name, Email: c.Email, Form: true,
	}
	if r.Method != http.MethodPost {
		return p, nil
	}
	if err := page.ReadForm(r); err != nil {
		return addressData{}, err
	}
	if err := s.change(ctx, c); err != nil {
		return addressData{}, err
	}
	p.Form, p.Done = false, true
	return p, nil
}

// change changes the address. It repeats all checks inside the unit of work.
func (s *service) change(ctx context.Context, c *confirmation.Confirmation) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.reverify(ctx, c)
		if err != nil {
			return err
		}
		u, err := userForAddress(v, c)
		if err != nil {
			return err
		}
		if err := s.store.End(ctx, c.ID, s.Clock.Now()); err != nil {
			return err
		}
		return s.Credentials.ChangeEmail(
			ctx,
			user.Actor{Realm: c.Realm, User: u.ID, Role: u.Role, Client: "website"},
			u.ID,
			c.Email,
		)
	})
}

// reverify returns the current view. It must be called inside Do. Errors: NotFound if the link is no longer valid.
func (s *service) reverify(ctx context.Context, c *confirmation.Confirmation) (*directory.View, error) {
	v, err := s.Directory.View(ctx, c.Realm) // serializes changes in the realm
	if err != nil {
		return nil, err
	}
	now, err := s.store.Get(ctx, c.ID)
	if err == nil && (now == nil || !now.Pending(s.Clock.Now())) {
		err = invalidLink()
	}
	return v, err
}

// loginChanged invalidates a user's earlier links, and notifies the former address if the address has changed.
func (s *service) loginChanged(ctx context.Context, m *user.LoginChanged) error {
	if err := s.invalidate(ctx, m.Realm, m.User.ID, m.Old.DeliveryEmail, m.User.DeliveryEmail); err != nil {
		return err
	}
	if user.EmailKey(m.Old.DeliveryEmail) == user.EmailKey(m.User.DeliveryEmail) || !m.User.Active ||
		!s.Outbox.Delivers() {
		return nil
	}
	return s.queueEmail(
		ctx,
		confirmation.Confirmation{Realm: m.Realm, Kind: confirmation.Notice, User: m.User.ID, Email: m.Old.DeliveryEmail},
		keepEnded,
	)
}

// deactivated invalidates the links of a deactivated user.
func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	return s.invalidate(ctx, m.Realm, m.User, v.User(m.User).DeliveryEmail)
}

// invalidate invalidates a user's pending changes of address, and the pending password resets for the given addresses.
func (s *service) invalidate(ctx context.Context, r realm.ID, u user.ID, emails ...string) error {
	now := s.Clock.Now()
	if err := s.store.EndAddresses(ctx, r, u, now); err != nil {
		return err
	}
	return s.store.EndPasswords(ctx, r, now, emails...)
}
