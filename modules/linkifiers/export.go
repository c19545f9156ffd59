package linkifiers

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "linkifiers", Doc: "A linkifier.",
		Columns: []string{
			"id", "position", "pattern", "url_template", "example_input", "reverse_template",
			"alternatives:json",
		},
	}}
}
