package outgoing

import "github.com/stoachat/stoa/modules/kit"

// diagnoses returns the module's checks of stoa doctor.
func diagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "calls", Doc: "Calls of outgoing webhooks belong to bots.",
		Wrong: []kit.Wrong{{
			Table: "outgoing_calls", With: []string{"users"},
			Where: "NOT EXISTS (SELECT 1 FROM users u WHERE u.id = r.bot_id AND u.bot_type <> 0)",
			Text:  "belong to no bot", Fix: kit.Delete,
		}},
	}}
}
