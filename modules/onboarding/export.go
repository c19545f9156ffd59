package onboarding

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "onboarding_steps", Doc: "A hint that a user has seen.",
		Columns: []string{"user_id", "step"},
		Key:     []string{"user_id", "step"},
		Person:  "user_id",
	}}
}
