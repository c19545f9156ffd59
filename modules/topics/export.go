package topics

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "user_topics", Doc: "A topic that a user has muted (policy 1), unmuted (2) or follows (3).",
		Columns: []string{"user_id", "channel_id", "topic", "policy", "updated_at:time"},
		Without: []string{"topic_key", "automatic"},
		Key:     []string{"user_id", "channel_id", "topic_key"},
		Person:  "user_id",
	}}
}
