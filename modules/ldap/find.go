package ldap

import (
	"context"
	"slices"
	"strings"

	"github.com/go-ldap/ldap/v3"
	"golang.org/x/text/unicode/norm"
)

// errSeveral is the error for a name of several entries, none of which may log in.
const errSeveral = setupError("several entries have this name: make user_filter or base_dn narrower")

// plausible reports whether a name can be looked up: without characters that directories ignore or that end texts, so
// that one person has few spellings.
func plausible(name string) bool {
	return name != "" && norm.NFKC.String(name) == name && strings.Join(strings.Fields(name), " ") == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' })
}

func (d directoryConfig) userFilter(name string) string {
	return strings.ReplaceAll(d.UserFilter, "%s", ldap.EscapeFilter(name))
}

func (d directoryConfig) groupFilter(dn, name string) string {
	return strings.NewReplacer("%s", ldap.EscapeFilter(dn), "%u", ldap.EscapeFilter(name)).Replace(d.GroupFilter)
}

// userDN returns what to bind as without a service account.
func (d directoryConfig) userDN(name string) string {
	if d.direct() {
		name = ldap.EscapeDN(name)
	}
	return strings.Replace(d.UserDN, "%s", name, 1)
}

// attributes are the attributes of people that are read.
func (d directoryConfig) attributes() []string {
	all := append([]string{
		d.IDAttribute, d.UIDAttribute, d.EmailAttribute, d.NameAttribute, "cn", d.GroupAttribute, "preferredLanguage",
	}, lockAttributes...)
	for _, name := range []string{d.ActiveAttribute, d.TimezoneAttribute} {
		if name != "" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// request returns a search request. Referrals in its answer are ignored.
func (d *directory) request(base string, scope, most int, filter string, attributes []string) *ldap.SearchRequest {
	return ldap.NewSearchRequest(base, scope, ldap.NeverDerefAliases, most, int(d.Timeout.Seconds()), false, filter,
		attributes, nil)
}

// person returns the entry of a name, or nil. Errors: errSeveral.
func (d *directory) person(ctx context.Context, c *connection, name string) (*ldap.Entry, error) {
	return d.one(ctx, c, d.request(d.BaseDN, ldap.ScopeWholeSubtree, 2, d.userFilter(name), d.attributes()))
}

// self returns the entry of somebody who has bound with their own DN or name.
func (d *directory) self(ctx context.Context, c *connection, name string) (*ldap.Entry, error) {
	if !d.direct() {
		return d.person(ctx, c, name)
	}
	return d.one(ctx, c, d.request(d.userDN(name), ldap.ScopeBaseObject, 2, "(objectClass=*)", d.attributes()))
}

// one returns the only entry that a search finds, or nil.
func (d *directory) one(ctx context.Context, c *connection, r *ldap.SearchRequest) (*ldap.Entry, error) {
	var found *ldap.SearchResult
	err := c.during(ctx, d, maxAnswer, func() (err error) { found, err = c.Search(r); return err })
	switch {
	case ldap.IsErrorWithCode(err, ldap.LDAPResultNoSuchObject):
		return nil, nil
	case ldap.IsErrorWithCode(err, ldap.LDAPResultSizeLimitExceeded):
		return nil, errSeveral
	case err != nil:
		return nil, err
	case len(found.Entries) > 1:
		return nil, errSeveral
	case len(found.Entries) == 0:
		return nil, nil
	}
	return found.Entries[0], nil
}
