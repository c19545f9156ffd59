package push

import (
	"slices"

	"github.com/stoachat/stoa/modules/kit"
)

// exported declares that the tables are not exported.
func exported() []kit.Export {
	return slices.Concat(
		kit.NotExported("keys of devices that work only with this server",
			"push_devices", "push_registrations", "push_tokens"),
		kit.NotExported("notifications waiting to be sent", "push_notices", "push_rechecks", "push_repeats"),
		kit.NotExported("state shared with the push service", "push_secret", "push_realms"),
	)
}
