package navigation

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "navigation_views", Doc: "A view in a user's sidebar.",
		Columns: []string{"user_id", "fragment", "is_pinned:bool", "name"},
		Key:     []string{"user_id", "fragment"},
		Person:  "user_id",
	}}
}
