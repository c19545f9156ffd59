package webhooks

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.LeftOut("records when owners of bots were last warned", "webhook_notices")
}
