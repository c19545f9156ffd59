package outgoing

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return kit.LeftOut("calls of bots that wait to be made", "outgoing_calls", "outgoing_failures")
}
