package mailnotify

import (
	"slices"

	"github.com/stoachat/stoa/modules/kit"
)

// exported declares that the tables are not exported.
func exported() []kit.Export {
	return slices.Concat(
		kit.NotExported("emails waiting to be sent", "missed_messages", "missed_people", "missed_letters", "digest_letters"),
		kit.NotExported("internal state of this server", "digest_runs"),
		kit.NotExported("programs and networks from which users have logged in", "login_devices", "login_notices"),
		kit.NotExported("key of links that work only with this server", "missed_secret"),
	)
}
