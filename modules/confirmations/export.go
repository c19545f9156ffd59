package confirmations

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.NotExported("links in emails, which work only on this server",
		"confirmations", "confirmation_mails", "confirmation_secret")
}
