package groups

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "user_groups", Doc: "A group created by a user.",
		Columns: []string{
			"id", "name", "description", "creator_id", "created_at:time", "deactivated:bool",
			"permissions:json",
		},
		Without: []string{"name_key"},
	}, {
		Table: "user_group_members", Doc: "A member of a group.",
		Columns: []string{"group_id", "user_id"},
		Key:     []string{"group_id", "user_id"},
	}, {
		Table: "user_group_subgroups", Doc: "A group that is a member of a group.",
		Columns: []string{"group_id", "subgroup_id"},
		Key:     []string{"group_id", "subgroup_id"},
	}}
}
