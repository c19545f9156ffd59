package notifications

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return kit.LeftOut("notifications that wait to be sent", "notification_messages", "notification_waits")
}
