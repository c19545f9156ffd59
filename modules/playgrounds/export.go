package playgrounds

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "playgrounds", Doc: "A code playground.",
		Columns: []string{"id", "name", "language", "url_template"},
	}}
}
