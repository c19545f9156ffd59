package sessions

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return kit.LeftOut("secrets by which people log in", "sessions", "login_tokens")
}
