package presence

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "presences", Doc: "When a user was last active.",
		Columns: []string{"user_id", "active_at:time", "connected_at:time"},
		Without: []string{"counter"},
		Key:     []string{"user_id"},
		Person:  "user_id",
	}}
}
