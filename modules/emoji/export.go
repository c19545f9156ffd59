package emoji

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "custom_emoji", Doc: "An emoji of the organization; source and still are addresses of pictures.",
		Columns: []string{"id", "name", "source", "still", "author_id", "deactivated:bool"},
	}}
}
