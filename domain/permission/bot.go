package permission

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// OwnerReads reports whether u is a bot whose owner may read c, those in protected history only as far as received.
// Messages that mention the bot there reach it although it is not subscribed.
func OwnerReads(v *directory.View, c *channel.Channel, u *user.User) bool {
	return u != nil && u.IsBot() && u.BotOwner != 0 && Reads(v, c, v.User(u.BotOwner))
}

// CreatesBot tells whether u may make bots of a kind: incoming webhooks, which can only write, also with a permission
// of their own.
func CreatesBot(v *directory.View, u user.ID, t user.BotType) bool {
	return Holds(v, u, "can_create_bots_group") ||
		t == user.IncomingWebhook && Holds(v, u, "can_create_write_only_bots_group")
}

// KeepsBot tells whether u is told of a bot, how it is set up, and may change it: its owner, and administrators.
func KeepsBot(u, bot *user.User) bool {
	return u != nil && bot != nil && bot.IsBot() && !bot.System && (u.IsAdmin() || bot.BotOwner == u.ID)
}

// CheckKeepsBot refuses who may not change a bot, or read its key. The key of a bot with the role of an owner makes an
// owner: an administrator who is none, and whose bot it is not, does not get at it. bot may be nil or a person. Errors:
// BadRequest, UnauthorizedPrincipal.
func CheckKeepsBot(u, bot *user.User) error {
	switch {
	case bot == nil || !bot.IsBot() || bot.System:
		return errs.Bad("No such bot")
	case !KeepsBot(u, bot):
		return errs.Bad("Insufficient permission")
	case bot.BotOwner != u.ID && bot.Role < u.Role:
		return errs.New(errs.UnauthorizedPrincipal, "Must be an organization owner")
	}
	return nil
}

// CheckOwnsBots refuses who may not become the owner of bots. who is whom asker named: nil, or not to be seen, is the
// same to it. Errors: BadRequest.
func CheckOwnsBots(v *directory.View, asker, who *user.User) error {
	switch {
	case who == nil || who.System || !Sees(v, asker, who.ID):
		return errs.Bad("No such user")
	case !who.Active:
		return errs.Bad("The new owner is deactivated.")
	case who.IsBot():
		return errs.Bad("Bots can't own bots.")
	case who.IsGuest():
		return errs.Bad("Guests can't own bots.")
	}
	return nil
}

// CheckHandsOn refuses to hand a bot on to somebody of a lower role than the bot's, who would act with more than their
// own: only who might give the bot that role does so. role is what the bot has from then on. Errors: BadRequest.
func CheckHandsOn(u, to *user.User, role user.Role) error {
	if role >= to.Role || u.IsAdmin() && u.Role <= role {
		return nil
	}
	return errs.Bad("The bot has a higher role than its new owner.")
}

// BotsOf gives the active bots of people.
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

// Lowered gives the bots of somebody that have a higher role than theirs, whether active or not: when they lose a role,
// their bots do. A bot that was given a higher role than its owner's by who may do so keeps it until then.
func Lowered(v *directory.View, owner *user.User) []*user.User {
	var all []*user.User
	for u := range v.Users() {
		if u.IsBot() && !u.System && u.BotOwner == owner.ID && u.Role < owner.Role {
			all = append(all, u)
		}
	}
	return all
}
