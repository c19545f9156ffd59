package playgrounds

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "playgrounds", Doc: "A code playground.",
		Columns: []string{"id", "name", "language", "url_template"},
	}}
}
