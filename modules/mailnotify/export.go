package mailnotify

import (
	"slices"

	"github.com/stoachat/stoa/modules/kit"
)

// exported declares that the tables are not exported.
func exported() []kit.Export {
	return slices.Concat(
		kit.LeftOut("mails that wait to be sent", "missed_messages", "missed_people", "missed_letters", "digest_letters"),
		kit.LeftOut("how far the server has got with its emails", "digest_runs"),
		kit.LeftOut("from where people have logged in", "login_devices", "login_notices"),
		kit.LeftOut("keys of mails that work on this server only", "missed_secret"),
	)
}
