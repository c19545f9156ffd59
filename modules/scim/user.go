package scim

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// provisioned reports whether a user is a resource: a person whose data has not been erased.
func provisioned(u *user.User) bool { return u != nil && !u.IsBot() && !u.System && !u.Erased() }

// userName returns the name of an account at its client.
func (s *service) userName(u *user.User, p *person) string {
	if s.cfg.EmailSource == fromEmails && p != nil && p.UserName != "" {
		return p.UserName
	}
	return u.DeliveryEmail
}

// stored returns a user as PATCH changes it: what a client can set, without what only follows from it.
func (s *service) stored(u *user.User, p *person) object {
	o := object{}
	if p != nil && p.Attributes != "" {
		if err := json.Unmarshal([]byte(p.Attributes), &o); err != nil { // the server has written it
			o = object{}
		}
	}
	if name := fullName(o, u.DeliveryEmail); name != "" && name != u.FullName { // it was changed otherwise
		delete(o, "name")
		delete(o, "displayName")
	}
	o["userName"], o["active"] = s.userName(u, p), u.Active
	o["emails"] = []any{object{"value": u.DeliveryEmail, "type": "work", "primary": true}}
	if p != nil && p.ExternalID != "" {
		o["externalId"] = p.ExternalID
	}
	if u.Role != user.Member || p != nil && p.SetsRole {
		o["roles"] = []any{object{"value": roleName(u.Role), "primary": true}}
	}
	o[schema.StoaURN] = object{"role": roleName(u.Role)}
	return o
}

// userResource returns a user as clients read it, and its version.
func (s *service) userResource(c *call, v *directory.View, u *user.User, p *person, in []group.ID) (object, string) {
	o := s.stored(u, p)
	schemas := []any{schema.UserURN, schema.StoaURN}
	if o[schema.EnterpriseURN] != nil {
		schemas = append(schemas, schema.EnterpriseURN)
	}
	id := strconv.FormatInt(int64(u.ID), 10)
	o["schemas"], o["id"] = schemas, id
	if name, _ := o["name"].(object); o["displayName"] == nil && name["formatted"] == nil {
		o["displayName"] = u.FullName
	}
	var groups []any
	for _, g := range in {
		gid := strconv.FormatInt(int64(g), 10)
		groups = append(groups, object{"value": gid, "$ref": c.base + "/Groups/" + gid, "display": v.Group(g).Name})
	}
	if groups != nil {
		o["groups"] = groups
	}
	o["meta"] = object{
		"resourceType": "User", "created": u.Joined.UTC().Format(time.RFC3339), "location": c.base + "/Users/" + id,
	}
	revision := int64(0)
	if p != nil {
		revision = p.Version
	}
	return stamped(o, revision)
}

// fullName returns the name that follows from the attributes of a user, or "".
func fullName(o object, email string) string {
	text := func(o object, name string) string {
		s, _ := o[name].(string)
		return strings.TrimSpace(s)
	}
	parts, _ := o["name"].(object)
	name := text(parts, "formatted")
	if name == "" {
		name = text(o, "displayName")
	}
	if given, family := text(parts, "givenName"), text(parts, "familyName"); name == "" && given != "" && family != "" {
		name = given + " " + family
	}
	if name == "" {
		return ""
	}
	return signin.Identity{Name: name, Email: email}.FullName()
}

// wanted is what a client wants of an account.
type wanted struct {
	userName, email, externalID string
	name                        string // "": as it is
	active                      *bool
	role                        *user.Role
	setsRole                    bool // role is what the client has said, and not that it has no opinion any more
	attributes                  string
}

// attributesOf returns what an account itself does not contain, as JSON.
func attributesOf(o object) (string, error) {
	kept := object{}
	for _, name := range []string{"displayName", "name", "title", schema.EnterpriseURN} {
		v := o[name]
		if inner, ok := v.(object); ok && len(inner) == 0 {
			continue
		}
		if v != nil {
			kept[name] = v
		}
	}
	b, err := plainjson.Marshal(kept)
	return string(b), err
}

// addressIn returns the address of the account among emails: the primary one, else that for work, else the last.
func addressIn(o object) string {
	var primary, work, other string
	list, _ := o["emails"].([]any)
	for _, one := range list {
		e, _ := one.(object)
		value, _ := e["value"].(string)
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		other = value
		if kind, _ := e["type"].(string); strings.EqualFold(kind, "work") {
			work = value
		}
		if e["primary"] == true {
			primary = value
		}
	}
	for _, one := range []string{primary, work, other} {
		if one != "" {
			return one
		}
	}
	return ""
}

// rolesIn returns the highest role among roles; a member if there are none.
func rolesIn(o object) (user.Role, error) {
	best := user.Role(0)
	list, _ := o["roles"].([]any)
	for _, one := range list {
		r, _ := one.(object)
		value, given := r["value"].(string)
		if !given {
			continue
		}
		role, err := parseRole(value)
		if err != nil {
			return 0, err
		}
		if best == 0 || role < best {
			best = role
		}
	}
	if best == 0 {
		return user.Member, nil
	}
	return best, nil
}

func parseRole(text string) (user.Role, error) {
	if r, ok := roles[strings.ToLower(strings.TrimSpace(text))]; ok {
		return r, nil
	}
	return 0, invalid("A role must be one of " + strings.Join(schema.Roles(), ", ") + ".")
}
