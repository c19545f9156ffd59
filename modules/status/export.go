package status

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "user_statuses", Doc: "What a person says that they are doing.",
		Columns: []string{"user_id", "text", "emoji_name", "emoji_code", "emoji_type"},
		Key:     []string{"user_id"},
	}}
}
