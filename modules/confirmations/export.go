package confirmations

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return kit.LeftOut("keys of mails that work on this server only",
		"confirmations", "confirmation_mails", "confirmation_secret")
}
