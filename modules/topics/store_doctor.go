package topics

import "github.com/stoachat/stoa/modules/kit"

// diagnoses returns the module's checks of stoa doctor.
func diagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "policies", Doc: "Each policy for a topic belongs to a channel.",
		Wrong: []kit.Wrong{{
			Table: "user_topics", With: []string{"channels"},
			Where: "NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = r.channel_id)",
			Text:  "belong to no channel", Fix: kit.Delete,
		}},
	}}
}
