package invites

import "github.com/stoachat/stoa/modules/kit"

// exported declares that the tables are not exported.
func exported() []kit.Export {
	return kit.LeftOut("keys of invitations that work on this server only", "invites", "invite_mails", "invite_secret")
}
