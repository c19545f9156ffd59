package mailin

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return kit.LeftOut("addresses that work on this server only", "mailin_replies", "mailin_secret")
}
