package push

import "github.com/stoachat/stoa/modules/kit"

// diagnoses returns the module's checks of stoa doctor.
func diagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "devices", Doc: "Only devices of active users receive notifications.",
		Wrong: []kit.Wrong{{
			Table: "push_devices", With: []string{"users"},
			Where: "EXISTS (SELECT 1 FROM users u WHERE u.id = r.user_id AND NOT u.active)",
			Text:  "belong to deactivated users", Fix: kit.Delete,
		}, {
			Table: "push_tokens", With: []string{"users"},
			Where: "EXISTS (SELECT 1 FROM users u WHERE u.id = r.user_id AND NOT u.active)",
			Text:  "belong to deactivated users", Fix: kit.Delete,
		}},
	}, {
		Name: "registrations", Doc: "The push service accepts devices.",
		Wrong: []kit.Wrong{{
			Table: "push_registrations", Where: "r.tries >= 3", Text: "were not accepted in three attempts", Minor: true,
			Remedy: "see the log for the answers of the push service",
		}},
	}}
}
