package previews

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return kit.LeftOut("pages on the web can be read again", "preview_queue", "preview_pages")
}
