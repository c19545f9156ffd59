package webhooks

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return kit.LeftOut("says when owners of bots were last warned", "webhook_notices")
}
