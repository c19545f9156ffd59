package status

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "user_statuses", Doc: "A user's status.",
		Columns: []string{"user_id", "text", "emoji_name", "emoji_code", "emoji_type", "ends_at"},
		Key:     []string{"user_id"},
	}}
}
