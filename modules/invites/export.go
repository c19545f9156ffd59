package invites

import "github.com/stoachat/stoa/modules/kit"

// exported declares that the tables are not exported.
func exported() []kit.Export {
	return kit.NotExported("invitations are valid only on this server", "invites", "invite_mails", "invite_secret")
}
