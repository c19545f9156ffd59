package alertwords

import "github.com/stoachat/stoa/modules/kit"

// exported declares how the module's tables are exported.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "alert_words", Doc: "A user's alert word.",
		Columns: []string{"user_id", "word"},
		Without: []string{"word_key"},
		Key:     []string{"user_id", "word_key"},
		Person:  "user_id",
	}}
}
