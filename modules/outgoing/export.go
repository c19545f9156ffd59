package outgoing

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.NotExported("bot calls waiting to be made", "outgoing_calls", "outgoing_failures")
}
