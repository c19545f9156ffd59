package events

import "github.com/stoachat/stoa/modules/kit"

// diagnoses returns the module's checks of stoa doctor. Clients whose queue was deleted register another one.
func diagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "queues", Doc: "Each event queue belongs to an active user, and is not ahead of the log.",
		Wrong: []kit.Wrong{{
			Table: "event_queues", With: []string{"realm_events", "realm_logs"},
			Where: "r.epoch = COALESCE((SELECT l.epoch FROM realm_logs l WHERE l.realm_id = r.realm_id), 0) AND " +
				"r.acked_seq > COALESCE((SELECT max(e.seq) FROM realm_events e WHERE e.realm_id = r.realm_id), 0)",
			Text: "are ahead of the log", Fix: kit.Delete,
		}, {
			Table: "event_queues", With: []string{"users"},
			Where: "EXISTS (SELECT 1 FROM users u WHERE u.id = r.user_id AND NOT u.active)",
			Text:  "belong to deactivated users", Fix: kit.Delete,
		}},
	}}
}
