package scim

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/scim/internal/patch"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
	"github.com/stoachat/stoa/ports"
)

// read returns what a client wants. u and p are nil for a new person.
func (s *service) read(in patch.Result, u *user.User, p *person) (wanted, error) {
	o := in.Object
	var w wanted
	w.userName, _ = o["userName"].(string)
	if w.userName = strings.TrimSpace(w.userName); w.userName == "" {
		return w, invalid("userName is required.")
	}
	if err := s.readAddress(&w, in, u); err != nil {
		return w, err
	}
	w.externalID, _ = o["externalId"].(string)
	if _, given := o["externalId"]; !given && !in.Touched["externalId"] && p != nil {
		w.externalID = p.ExternalID
	}
	if len(w.externalID) > signin.MaxSubject || !utf8.ValidString(w.externalID) {
		return w, invalid("externalId is too long.")
	}
	w.name = fullName(o, w.email)
	if active, ok := o["active"].(bool); ok && in.Touched["active"] {
		w.active = &active
	}
	if err := readRole(&w, in); err != nil {
		return w, err
	}
	var err error
	w.attributes, err = attributesOf(o)
	return w, err
}

// readAddress reads the address of the account.
func (s *service) readAddress(w *wanted, in patch.Result, u *user.User) error {
	given := ""
	if in.Touched["emails"] {
		given = addressIn(in.Object)
	}
	switch {
	case s.cfg.EmailSource == fromUserName:
		w.email = w.userName
		if given != "" && user.EmailKey(given) != user.EmailKey(w.email) {
			return invalid("The address in emails must equal userName, unless the server is configured to use it instead " +
				"(modules.scim.email_source).")
		}
	case given != "":
		w.email = given
	case u != nil:
		w.email = u.DeliveryEmail
	default:
		w.email = w.userName
	}
	var err error
	w.email, err = user.CheckEmail(w.email)
	return err
}

func readRole(w *wanted, in patch.Result) error {
	const own = schema.StoaURN + ":role"
	switch {
	case in.Touched["roles"]:
		r, err := rolesIn(in.Object)
		if err != nil {
			return err
		}
		list, _ := in.Object["roles"].([]any)
		w.role, w.setsRole = &r, len(list) > 0
	case in.Touched[own]:
		r := user.Member
		inner, _ := in.Object[schema.StoaURN].(object)
		if text, ok := inner["role"].(string); ok {
			var err error
			if r, err = parseRole(text); err != nil {
				return err
			}
			w.setsRole = true
		}
		w.role = &r
	}
	return nil
}

// above reports whether a role is higher than tokens may handle.
func (s *service) above(r user.Role) bool { return r < roles[s.cfg.MaxRole] }

// checkRole checks that a role can be given. u is nil for a new person.
func (s *service) checkRole(v *directory.View, u *user.User, r user.Role) error {
	switch {
	case s.above(r):
		return forbidden("The server is configured not to give this role (modules.scim.max_role).")
	case u == nil:
		return nil
	case s.above(u.Role):
		return forbidden("The server is configured not to change the role of this account (modules.scim.max_role).")
	case permission.LastOwner(v, u):
		return lastOwner()
	}
	return nil
}

// checkFree checks that nobody else has the name, the address or the client's ID that an account shall have.
func (s *service) checkFree(ctx context.Context, c *call, v *directory.View, id user.ID, w wanted) error {
	if other := v.UserByEmail(w.email); other != nil && other.ID != id {
		return taken("Another account has this address.")
	}
	p, err := s.rows.ByName(ctx, c.realm, user.EmailKey(w.userName))
	if err != nil {
		return err
	}
	if s.cfg.EmailSource == fromEmails && p != nil && p.UserID != id {
		return taken("Another account has this userName.")
	}
	if w.externalID != "" {
		if p, err = s.rows.ByExternal(ctx, c.realm, w.externalID); err != nil {
			return err
		}
		if p != nil && p.UserID != id {
			return taken("Another account has this externalId.")
		}
	}
	if u := v.User(id); w.name != "" && v.Realm().Settings.RequireUniqueNames && (u == nil || u.FullName != w.name) {
		key := v.NameKey(w.name)
		for other := range v.Users() {
			if other.ID != id && other.Active && v.NameKey(other.FullName) == key {
				return taken("Another account has this name.")
			}
		}
	}
	return nil
}

// createAccount creates an account in a transaction.
func (s *service) createAccount(ctx context.Context, c *call, v *directory.View, w wanted) (user.ID, error) {
	if err := s.checkFree(ctx, c, v, 0, w); err != nil {
		return 0, err
	}
	role := user.Member
	if w.role != nil {
		role = *w.role
	}
	if err := s.checkRole(v, nil, role); err != nil {
		return 0, err
	}
	if err := v.Realm().CheckEmail(w.email); err != nil {
		return 0, err
	}
	name := w.name
	if name == "" {
		name = signin.Identity{Email: w.email}.FullName()
	}
	id, err := s.Accounts.Create(ctx, c.by, ports.NewUser{Email: w.email, FullName: name, Role: role})
	if err != nil {
		return 0, err
	}
	if w.active != nil && !*w.active {
		if err := s.Accounts.Deactivate(ctx, c.by, id); err != nil {
			return 0, err
		}
	}
	return id, s.remember(ctx, c, id, nil, w)
}

// changeAccount changes an account in a transaction, as far as it differs.
func (s *service) changeAccount(
	ctx context.Context, c *call, v *directory.View, u *user.User, p *person, w wanted,
) error {
	if err := s.checkFree(ctx, c, v, u.ID, w); err != nil {
		return err
	}
	if w.active != nil && *w.active && !u.Active {
		if s.above(u.Role) && (p == nil || p.Manager == "") {
			return forbidden("The server is configured not to reactivate this account (modules.scim.max_role).")
		}
		if err := s.Accounts.Reactivate(ctx, c.by, u.ID); err != nil {
			return err
		}
	}
	var change ports.UserChange
	if user.EmailKey(w.email) != user.EmailKey(u.DeliveryEmail) {
		if s.above(u.Role) {
			return forbidden("The server is configured not to change the address of this account (modules.scim.max_role).")
		}
		if err := v.Realm().CheckEmail(w.email); err != nil {
			return err
		}
	}
	if w.email != u.DeliveryEmail {
		change.Email = &w.email
	}
	if w.name != "" && w.name != u.FullName {
		change.FullName = &w.name
	}
	if w.role != nil && *w.role != u.Role {
		if err := s.checkRole(v, u, *w.role); err != nil {
			return err
		}
		change.Role = w.role
	}
	if change != (ports.UserChange{}) {
		if err := s.Users.Amend(ctx, c.by, u.ID, change); err != nil {
			return err
		}
	}
	if w.active != nil && !*w.active && u.Active {
		if permission.LastOwner(v, u) {
			return lastOwner()
		}
		if err := s.Accounts.Deactivate(ctx, c.by, u.ID); err != nil {
			return err
		}
	}
	return s.remember(ctx, c, u.ID, p, w)
}

// remember stores what the account itself does not contain. Repeating a request changes nothing.
func (s *service) remember(ctx context.Context, c *call, id user.ID, p *person, w wanted) error {
	now := person{
		UserID: id, RealmID: c.realm, Manager: c.token.Name, UserName: w.userName, UserKey: user.EmailKey(w.userName),
		ExternalID: w.externalID, Attributes: w.attributes, SetsRole: w.setsRole,
	}
	if p != nil {
		now.Version, now.SetsRole = p.Version, now.SetsRole || w.role == nil && p.SetsRole
		if now == *p {
			return nil
		}
	}
	now.Version++
	if err := s.rows.SavePerson(ctx, &now); err != nil {
		return err
	}
	return s.fillProfile(ctx, c, id, w.attributes)
}

// lastOwner says that an account is the only one of an owner.
func lastOwner() error { return forbidden("This is the organization's only owner.") }
