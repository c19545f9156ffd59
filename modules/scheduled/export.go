package scheduled

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	kept := []kit.Export{{
		Table: "scheduled_messages",
		Doc:   "A scheduled message (kind 0) or reminder (kind 1): pending (state 0), failed (1) or sent (2).",
		Columns: []string{
			"id", "user_id", "kind", "state", "deliver_at", "channel_id", "recipients:json", "topic",
			"content", "rendered", "target_id", "error",
		},
		Without: []string{"try_at", "read_by_sender", "client", "url", "version"},
		Person:  "user_id",
	}}
	return append(kept, kit.NotExported("the lease of the node that delivers messages", "scheduled_turn")...)
}
