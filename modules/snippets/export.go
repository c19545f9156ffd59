package snippets

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "saved_snippets", Doc: "A user's snippet.",
		Columns: []string{"id", "user_id", "title", "content", "created_at:time"},
		Person:  "user_id",
	}}
}
