package drafts

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "drafts", Doc: "A user's draft.",
		Columns: []string{"id", "user_id", "kind", "recipients:json", "topic", "content", "edited_at:time"},
		Person:  "user_id",
	}}
}
