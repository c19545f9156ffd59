package drafts

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "drafts", Doc: "A draft of a person.",
		Columns: []string{"id", "user_id", "kind", "recipients:json", "topic", "content", "edited_at:time"},
		Person:  "user_id",
	}}
}
