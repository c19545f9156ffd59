package profilefields

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "profile_fields", Doc: "A custom profile field.",
		Columns: []string{
			"id", "type", "position", "name", "hint", "data:json", "in_summary:bool", "required:bool",
			"editable:bool", "matching:bool",
		},
	}, {
		Table: "user_profiles", Doc: "The values of a user's profile, by field.",
		Columns: []string{"user_id", "said:json"},
		Key:     []string{"user_id"},
	}}
}
