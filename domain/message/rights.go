package message

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// Grace is the time for which edits and moves are accepted after their time limit, since the client showed the button
// within it.
const Grace = 20 * time.Second

// holdsEither reports whether u has a permission of the realm, or the permission of c, which may be nil.
func holdsEither(v *directory.View, u *user.User, c *channel.Channel, ofRealm, ofChannel string) bool {
	return permission.Holds(v, u.ID, ofRealm) ||
		c != nil && ofChannel != "" && permission.Allowed(v, group.OfStream, ofChannel, c.Permissions[ofChannel], u.ID)
}

// MayRename reports whether u is allowed to change the topic of messages in c; stays means that they stay in c.
func MayRename(v *directory.View, u *user.User, c *channel.Channel, stays bool) bool {
	within := ""
	if stays {
		within = "can_move_messages_within_channel_group"
	}
	return holdsEither(v, u, c, "can_move_messages_between_topics_group", within) || permission.Administers(v, c, u)
}

// MayResolve reports whether u is allowed to resolve and unresolve topics of c.
func MayResolve(v *directory.View, u *user.User, c *channel.Channel) bool {
	return holdsEither(v, u, c, "can_resolve_topics_group", "can_resolve_topics_group")
}

// MayMoveOut reports whether u is allowed to move messages from c to other channels.
func MayMoveOut(v *directory.View, u *user.User, c *channel.Channel) bool {
	return holdsEither(v, u, c, "can_move_messages_between_channels_group", "can_move_messages_out_of_channel_group") ||
		permission.Administers(v, c, u)
}

// inTime reports whether a limit in seconds (nil: none) has not passed yet.
func inTime(limit *int, since, now time.Time, grace time.Duration) bool {
	return limit == nil || now.Sub(since) <= time.Duration(*limit)*time.Second+grace
}

// exemptFromLimits reports whether u is exempt from the time limits for moves.
func exemptFromLimits(u *user.User) bool { return u.Role <= user.Moderator }

// CheckDelete returns an error unless u, who must have access to m, is allowed to delete it. c is nil for direct
// messages. Errors: BadRequest.
func CheckDelete(v *directory.View, u *user.User, c *channel.Channel, m *Message, now time.Time) error {
	if holdsEither(v, u, c, "can_delete_any_message_group", "can_delete_any_message_group") {
		return nil
	}
	own := m.Sender == u.ID
	if sender := v.User(m.Sender); sender != nil && sender.IsBot() && sender.BotOwner == u.ID {
		own = true
	}
	if !own || !holdsEither(v, u, c, "can_delete_own_message_group", "can_delete_own_message_group") {
		return errs.Bad("You don't have permission to delete this message")
	}
	if !inTime(v.Realm().Settings.MessageContentDeleteLimitSeconds, m.SentAt, now, 0) {
		return errs.Bad("The time limit for deleting this message has passed")
	}
	return nil
}
