package notifications

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.NotExported("notifications waiting to be sent", "notification_messages", "notification_waits")
}
