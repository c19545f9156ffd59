package invites

import "github.com/stoachat/stoa/modules/kit"

// exported says what of the module's tables an export of the organization holds.
func exported() []kit.Export {
	return kit.LeftOut("keys of invitations that work on this server only", "invites", "invite_mails", "invite_secret")
}
