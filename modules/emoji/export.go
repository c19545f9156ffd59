package emoji

import "github.com/stoachat/stoa/modules/kit"

// exported declares how the module's tables are exported.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "custom_emoji", Doc: "A custom emoji; source and still are the addresses of its images.",
		Columns: []string{"id", "name", "source", "still", "author_id", "deactivated:bool"},
	}}
}
