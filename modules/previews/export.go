package previews

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.NotExported("pages on the web can be read again", "preview_queue", "preview_pages")
}
