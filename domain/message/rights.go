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

// Grace is how long after its time limit an edit or a move is still taken: the client showed the button within the
// limit.
const Grace = 20 * time.Second

// holdsEither tells whether u is meant by a setting of the realm, or by the setting of that name of c, which may be
// nil.
func holdsEither(v *directory.View, u *user.User, c *channel.Channel, ofRealm, ofChannel string) bool {
	return permission.Holds(v, u.ID, ofRealm) ||
		c != nil && ofChannel != "" && permission.Allowed(v, group.OfStream, ofChannel, c.Permissions[ofChannel], u.ID)
}

// administers tells whether u is an administrator of c.
func administers(v *directory.View, u *user.User, c *channel.Channel) bool {
	const setting = "can_administer_channel_group"
	return u.IsAdmin() || permission.Allowed(v, group.OfStream, setting, c.Permissions[setting], u.ID)
}

// MayRename tells whether u may give messages of c another topic; stays: they stay in the channel.
func MayRename(v *directory.View, u *user.User, c *channel.Channel, stays bool) bool {
	within := ""
	if stays {
		within = "can_move_messages_within_channel_group"
	}
	return holdsEither(v, u, c, "can_move_messages_between_topics_group", within) || administers(v, u, c)
}

// MayResolve tells whether u may resolve and unresolve topics of c.
func MayResolve(v *directory.View, u *user.User, c *channel.Channel) bool {
	return holdsEither(v, u, c, "can_resolve_topics_group", "can_resolve_topics_group")
}

// MayMoveOut tells whether u may move messages of c to other channels.
func MayMoveOut(v *directory.View, u *user.User, c *channel.Channel) bool {
	return holdsEither(v, u, c, "can_move_messages_between_channels_group", "can_move_messages_out_of_channel_group") ||
		administers(v, u, c)
}

// inTime tells whether a limit in seconds, nil for none, has not passed since.
func inTime(limit *int, since, now time.Time, grace time.Duration) bool {
	return limit == nil || now.Sub(since) <= time.Duration(*limit)*time.Second+grace
}

// unhurried tells whether the time limits for moves are not meant for u.
func unhurried(u *user.User) bool { return u.Role <= user.Moderator }

// CheckDelete refuses u, who may see the message, to delete it. c is nil for direct messages. Errors: BadRequest.
func CheckDelete(v *directory.View, u *user.User, c *channel.Channel, m *Message, now time.Time) error {
	if holdsEither(v, u, c, "can_delete_any_message_group", "can_delete_any_message_group") {
		return nil
	}
	mine := m.Sender == u.ID
	if sender := v.User(m.Sender); sender != nil && sender.IsBot() && sender.BotOwner == u.ID {
		mine = true
	}
	if !mine || !holdsEither(v, u, c, "can_delete_own_message_group", "can_delete_own_message_group") {
		return errs.Bad("You don't have permission to delete this message")
	}
	if !inTime(v.Realm().Settings.MessageContentDeleteLimitSeconds, m.SentAt, now, 0) {
		return errs.Bad("The time limit for deleting this message has passed")
	}
	return nil
}
