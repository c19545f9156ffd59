package webhooks

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.NotExported("times at which owners of bots were last notified", "webhook_notices")
}
