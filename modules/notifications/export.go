package notifications

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return append(
		kit.NotExported("notifications waiting to be sent", "notification_messages", "notification_waits"),
		kit.Export{
			Table: "quiet_hours", Doc: "When a user's notifications are silenced.",
			Columns: []string{"user_id", "paused_until", "schedule"}, Person: "user_id",
		},
	)
}
