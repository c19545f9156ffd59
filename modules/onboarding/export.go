package onboarding

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "onboarding_steps", Doc: "A hint that a person has seen.",
		Columns: []string{"user_id", "step"},
		Key:     []string{"user_id", "step"},
		Person:  "user_id",
	}}
}
