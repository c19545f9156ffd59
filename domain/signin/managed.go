package signin

import (
	"slices"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Manages is a query for the provider with an ID (Provider.ID) that a realm uses, asked of all modules. The provider's
// module returns it; others, and that of a provider that is not configured any more, a Provider without an ID.
type Manages struct {
	Realm    realm.ID
	Provider string
}

// ManagesName reports whether the provider changes the names of people who are connected to it.
func (p Provider) ManagesName() bool { return p.Follow || p.FollowName }

// ManagesRole reports whether a change of a connected user's role by hand contradicts the provider, which would undo
// it: RoleFor keeps roles that the provider does not give, and owners.
func (p Provider) ManagesRole(old, now user.Role) bool {
	given := map[user.Role]bool{}
	for _, role := range p.Roles {
		given[role] = true
	}
	switch {
	case given[user.Owner]:
		return given[old] || given[now]
	case old == user.Owner || now == user.Owner:
		return false
	}
	return given[old] || given[now]
}

// ManagesGroup reports whether the provider adds connected people to the user group with a name, and removes them.
func (p Provider) ManagesGroup(name string) bool {
	for _, group := range p.Groups {
		if group == name {
			return true
		}
	}
	return false
}

// Managed returns what people cannot change by hand in the record of a user with a role, by the names of the API.
func (p Provider) Managed(role user.Role) []string {
	fields := []string{}
	if p.ManagesName() {
		fields = append(fields, "full_name")
	}
	if p.Follow {
		fields = append(fields, "email")
	}
	free := slices.ContainsFunc([]user.Role{user.Admin, user.Moderator, user.Member, user.Guest},
		func(r user.Role) bool { return r != role && !p.ManagesRole(role, r) })
	if !free {
		fields = append(fields, "role")
	}
	return fields
}
