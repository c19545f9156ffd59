package permission

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// OwnerReads reports whether u is a bot whose owner can read c (see Reads). Messages in c that mention such a bot reach
// it even if it is not subscribed.
func OwnerReads(v *directory.View, c *channel.Channel, u *user.User) bool {
	return u != nil && u.IsBot() && u.BotOwner != 0 && Reads(v, c, v.User(u.BotOwner))
}

// CreatesBot reports whether u is allowed to create bots of a type. Incoming webhooks, which can only write, have a
// permission of their own.
func CreatesBot(v *directory.View, u user.ID, t user.BotType) bool {
	return Holds(v, u, "can_create_bots_group") ||
		t == user.IncomingWebhook && Holds(v, u, "can_create_write_only_bots_group")
}

// ManagesBot reports whether u is allowed to see and change the setup of a bot, as its owner or as an administrator.
func ManagesBot(u, bot *user.User) bool {
	return u != nil && bot != nil && bot.IsBot() && !bot.System && (u.IsAdmin() || bot.BotOwner == u.ID)
}

// CheckManagesBot checks that u is allowed to change a bot and read its key. Whoever has the key of a bot acts with its
// role, so only the bot's owner and users with at least this role are allowed. A bot never manages itself: it could
// change its owner. bot may be nil or a human user. Errors: BadRequest, UnauthorizedPrincipal.
func CheckManagesBot(u, bot *user.User) error {
	switch {
	case bot == nil || !bot.IsBot() || bot.System:
		return errs.Bad("No such bot")
	case !ManagesBot(u, bot), u.ID == bot.ID:
		return errs.Bad("Insufficient permission")
	case bot.BotOwner != u.ID && bot.Role < u.Role:
		return RoleRequired(user.Owner)
	}
	return nil
}

// CheckBotOwner checks that the user named by caller can own bots. The error is the same for nil and for users that
// caller cannot see. Errors: BadRequest.
func CheckBotOwner(v *directory.View, caller, owner *user.User) error {
	switch {
	case owner == nil || owner.System || !Sees(v, caller, owner.ID):
		return errs.Bad("No such user")
	case !owner.Active:
		return errs.Bad("The new owner is deactivated.")
	case owner.IsBot():
		return errs.Bad("Bots can't own bots.")
	case owner.IsGuest():
		return errs.Bad("Guests can't own bots.")
	}
	return nil
}

// CheckTransferBot checks that u is allowed to transfer a bot to another user. A new owner with a lower role than the
// bot gains permissions; u must then be allowed to assign the bot's role. role is the bot's role after the transfer.
// Errors: BadRequest.
func CheckTransferBot(u, to *user.User, role user.Role) error {
	if role >= to.Role || u.IsAdmin() && u.Role <= role {
		return nil
	}
	return errs.Bad("The bot has a higher role than its new owner.")
}

// BotsOf returns the active bots that the given users own.
func BotsOf(v *directory.View, owners user.Set) user.Set {
	if len(owners) == 0 {
		return nil
	}
	var all user.Set
	for u := range v.Users() {
		if u.IsBot() && u.Active && !u.System && owners.Has(u.BotOwner) {
			all = append(all, u.ID)
		}
	}
	return idset.Of(all...)
}

// BotsAboveOwner returns the owner's bots, active or not, whose role is higher than the owner's. They are demoted
// together with the owner; otherwise a bot keeps a higher role that an authorized user has assigned.
func BotsAboveOwner(v *directory.View, owner *user.User) []*user.User {
	var all []*user.User
	for u := range v.Users() {
		if u.IsBot() && !u.System && u.BotOwner == owner.ID && u.Role < owner.Role {
			all = append(all, u)
		}
	}
	return all
}
