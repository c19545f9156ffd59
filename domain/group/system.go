package group

// System returns the eight system groups, lowest ID first. Each contains the next more privileged one as direct
// subgroup; their six permissions are all role:nobody.
func System() []*Group {
	all := []*Group{
		{ID: Nobody, Name: "role:nobody", Description: "Nobody"},
		{ID: Owners, Name: "role:owners", Description: "Owners of this organization"},
		{
			ID:          Administrators,
			Name:        "role:administrators",
			Description: "Administrators of this organization, including owners",
			Subgroups:   Set{Owners},
		},
		{
			ID:          Moderators,
			Name:        "role:moderators",
			Description: "Moderators of this organization, including administrators",
			Subgroups:   Set{Administrators},
		},
		{
			ID:          FullMembers,
			Name:        "role:fullmembers",
			Description: "Members of this organization, not including new accounts and guests",
			Subgroups:   Set{Moderators},
		},
		{
			ID:          Members,
			Name:        "role:members",
			Description: "Members of this organization, not including guests",
			Subgroups:   Set{FullMembers},
		},
		{
			ID:          Everyone,
			Name:        "role:everyone",
			Description: "Everyone in this organization, including guests",
			Subgroups:   Set{Members},
		},
		{ID: Internet, Name: "role:internet", Description: "Everyone on the Internet", Subgroups: Set{Everyone}},
	}
	for _, g := range all {
		g.System = true
		g.Permissions = map[string]Setting{}
		for _, p := range Permissions {
			g.Permissions[p] = Named(Nobody)
		}
	}
	return all
}

// Permissions lists the wire names of a group's six permission settings.
var Permissions = []string{
	"can_add_members_group", "can_join_group", "can_leave_group", "can_manage_group", "can_mention_group",
	"can_remove_members_group",
}
