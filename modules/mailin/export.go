package mailin

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.NotExported("addresses that work only on this server", "mailin_replies", "mailin_secret")
}
