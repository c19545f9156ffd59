package ldap

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"github.com/stoachat/stoa/domain/signin"
)

// maxGroups limits the groups of a person, with those that they are in by other groups.
const maxGroups = 2000

// maxRanges limits the parts in which a server returns the values of an attribute.
const maxRanges = 100

// mapsGroups reports whether the configuration makes a difference between groups.
func (d directoryConfig) mapsGroups() bool {
	return len(d.RequireGroups)+len(d.DenyGroups)+len(d.GroupsMap)+len(d.RolesMap) > 0
}

// groups returns the groups of a person, as the configuration names them: DNs, and for groups below group_base_dn the
// values of cn as well.
func (d *directory) groups(ctx context.Context, c *connection, e *ldap.Entry) ([]string, error) {
	if !d.mapsGroups() {
		return nil, nil
	}
	direct, err := d.values(ctx, c, e, d.GroupAttribute)
	if err != nil {
		return nil, err
	}
	seen, queue := map[string]bool{}, []string{}
	add := func(dns []string) {
		for _, dn := range dns {
			if key := canonical(dn); !seen[key] {
				seen[key], queue = true, append(queue, dn)
			}
		}
	}
	add(direct)
	if d.GroupFilter != "" {
		found, err := d.groupsOf(ctx, c, e.DN, d.text(e, d.UIDAttribute))
		if err != nil {
			return nil, err
		}
		add(found)
	}
	for i := 0; i < len(queue); i++ {
		if len(queue) > maxGroups {
			return nil, setupError(fmt.Sprintf("a person is in more than %d groups", maxGroups))
		}
		if d.NestedGroups {
			found, err := d.groupsOf(ctx, c, queue[i], "\x00") // a group has no name that a posixGroup lists
			if err != nil {
				return nil, err
			}
			add(found)
		}
	}
	return d.named(queue), nil
}

// named returns the names of groups: their DNs, and the values of cn below group_base_dn.
func (d *directory) named(dns []string) []string {
	base, _ := ldap.ParseDN(d.GroupBaseDN)
	var all []string
	for _, text := range dns {
		all = append(all, canonical(text))
		dn, err := ldap.ParseDN(text)
		if err != nil || base == nil || len(dn.RDNs) == 0 || len(base.RDNs) > 0 && !base.AncestorOfFold(dn) {
			continue
		}
		if first := dn.RDNs[0].Attributes[0]; strings.EqualFold(first.Type, "cn") {
			all = append(all, strings.ToLower(first.Value))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// groupsOf returns the DNs of the groups that group_filter finds for a member.
func (d *directory) groupsOf(ctx context.Context, c *connection, dn, name string) ([]string, error) {
	if name == "" {
		name = "\x00"
	}
	r := d.request(d.GroupBaseDN, ldap.ScopeWholeSubtree, maxGroups, d.groupFilter(dn, name), []string{"1.1"})
	var found *ldap.SearchResult
	err := c.during(ctx, d, maxAnswer, func() (err error) { found, err = c.Search(r); return err })
	if ldap.IsErrorWithCode(err, ldap.LDAPResultNoSuchObject) {
		return nil, setupError("group_base_dn does not exist, or bind_dn may not read it")
	}
	if err != nil {
		return nil, err
	}
	var all []string
	for _, g := range found.Entries {
		all = append(all, g.DN)
	}
	return all, nil
}

// values returns all values of an attribute of an entry, which servers such as Active Directory return in parts, as
// member;range=0-1499.
func (d *directory) values(ctx context.Context, c *connection, e *ldap.Entry, name string) ([]string, error) {
	all := slices.Clone(e.GetEqualFoldAttributeValues(name))
	for range maxRanges {
		next := -1
		for _, a := range e.Attributes {
			option, ok := strings.CutPrefix(strings.ToLower(a.Name), strings.ToLower(name)+";range=")
			if !ok {
				continue
			}
			all = append(all, a.Values...)
			if _, last, _ := strings.Cut(option, "-"); last != "*" {
				end, err := strconv.Atoi(last)
				if err != nil || len(a.Values) == 0 {
					return nil, setupError(fmt.Sprintf("the directory returned the range %q of %s", option, name))
				}
				next = end + 1
			}
		}
		if next < 0 {
			return all, nil
		}
		var err error
		if e, err = d.one(ctx, c, d.request(e.DN, ldap.ScopeBaseObject, 1, "(objectClass=*)",
			[]string{fmt.Sprintf("%s;range=%d-*", name, next)})); err != nil {
			return nil, err
		}
		if e == nil {
			return all, nil
		}
	}
	return nil, setupError(fmt.Sprintf("the directory returned %s in more than %d parts", name, maxRanges))
}

// admits reports whether somebody with these groups may log in.
func (d *directory) admits(id signin.Identity) bool {
	in := func(groups []string) bool {
		return slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(id.Groups, canonical(g)) })
	}
	return (len(d.RequireGroups) == 0 || in(d.RequireGroups)) && !in(d.DenyGroups)
}
