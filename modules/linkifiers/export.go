package linkifiers

import "github.com/stoachat/stoa/modules/kit"

// exported declares how the module's tables are exported.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "linkifiers", Doc: "A linkifier.",
		Columns: []string{
			"id", "position", "pattern", "url_template", "example_input", "reverse_template",
			"alternatives:json",
		},
	}}
}
