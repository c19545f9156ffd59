package confirmations

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.LeftOut("keys of mails that work on this server only",
		"confirmations", "confirmation_mails", "confirmation_secret")
}
