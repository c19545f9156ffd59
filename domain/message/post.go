package message

import (
	"html"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// FindChannel returns the channel that a request names. Errors: StreamDoesNotExist with stream or stream_id.
func FindChannel(v *directory.View, to ToChannel) (*channel.Channel, error) {
	if to.ID != 0 || to.Name == "" {
		if c := v.Channel(to.ID); c != nil {
			return c, nil
		}
		return nil, NoChannel(to)
	}
	if c := v.ChannelByName(to.Name); c != nil {
		return c, nil
	}
	return nil, NoChannel(to)
}

// NoChannel returns the error for a channel that does not exist or is hidden from the sender.
func NoChannel(to ToChannel) error {
	if to.Name == "" {
		return errs.New(errs.StreamDoesNotExist, "Channel with ID '%d' does not exist", to.ID).With("stream_id", to.ID)
	}
	name := html.EscapeString(to.Name)
	return errs.New(errs.StreamDoesNotExist, "Channel '%s' does not exist", name).With("stream", name)
}

// CheckPost returns an error unless sender is allowed to post in c. Errors: BadRequest.
func CheckPost(v *directory.View, sender *user.User, c *channel.Channel) error {
	unauthorized := errs.Bad("Not authorized to send to channel '%s'", c.Name)
	if c.Archived {
		return unauthorized
	}
	if sender.System {
		return nil
	}
	if !holds(v, c.Permissions, "can_send_message_group", sender) {
		return errs.Bad("You do not have permission to post in this channel.")
	}
	owner := owner(v, sender)
	if permission.Reads(v, c, sender) || owner != nil && v.Subscribed(owner.ID, c.ID) {
		return nil
	}
	return unauthorized
}

// MayCreateTopics reports whether sender is allowed to create topics in c.
func MayCreateTopics(v *directory.View, sender *user.User, c *channel.Channel) bool {
	return sender.System || holds(v, c.Permissions, "can_create_topic_group", sender)
}

// holds reports whether u, or the owner if u is a bot, has a permission. Permissions that are not set apply to
// everybody.
func holds(v *directory.View, permissions map[string]group.Setting, name string, u *user.User) bool {
	s, set := permissions[name]
	if !set || permission.In(v, s, u.ID) {
		return true
	}
	o := owner(v, u)
	return o != nil && permission.In(v, s, o.ID)
}

func owner(v *directory.View, bot *user.User) *user.User {
	if !bot.IsBot() || bot.BotOwner == 0 {
		return nil
	}
	return v.User(bot.BotOwner)
}

// FindPeople returns the participants of a direct conversation: the users named in a request and the sender. Errors:
// BadRequest.
func FindPeople(v *directory.View, sender *user.User, to ToPeople) (user.Set, error) {
	if len(to.IDs)+len(to.Emails) == 0 {
		return nil, errs.Bad("Message must have recipients")
	}
	found := make([]*user.User, 0, len(to.IDs)+len(to.Emails))
	for _, id := range to.IDs {
		u := v.User(id)
		if u == nil {
			return nil, errs.Bad("Invalid user ID %d", id)
		}
		found = append(found, u)
	}
	for _, e := range to.Emails {
		u := permission.ByEmail(v, sender, e)
		if u == nil {
			return nil, errs.Bad("Invalid email '%s'", e)
		}
		found = append(found, u)
	}
	all := user.Set{sender.ID}
	for _, u := range found {
		all = all.Union(user.Set{u.ID})
	}
	return all, nil
}

// CheckDirect returns an error unless sender is allowed to send direct messages to participants, who include the
// sender. begun reports whether the conversation has messages. Errors: BadRequest.
func CheckDirect(v *directory.View, sender *user.User, participants user.Set, begun func() (bool, error)) error {
	others := participants.Minus(user.Set{sender.ID})
	for _, id := range others {
		if !sender.System && !permission.Sees(v, sender, id) {
			return errs.Bad("You do not have permission to access some of the recipients.")
		}
	}
	bots := true
	for _, id := range others {
		u := v.User(id)
		if u == nil || !u.Active {
			return errs.Bad("'%s' is no longer using Stoa.", name(v, u))
		}
		bots = bots && u.IsBot()
	}
	if sender.IsBot() || bots || v.Realm() == nil {
		return nil
	}
	groups := v.Realm().Settings.Groups
	if may, set := groups["direct_message_permission_group"]; set {
		if may.Equal(group.Named(group.Nobody)) {
			return errs.Bad("Direct messages are disabled in this organization.")
		}
		if !slices.ContainsFunc(participants, func(id user.ID) bool { return permission.In(v, may, id) }) {
			return errs.Bad("This conversation does not include any users who can authorize it.")
		}
	}
	if may, set := groups["direct_message_initiator_group"]; set && !permission.In(v, may, sender.ID) {
		has, err := begun()
		if err != nil {
			return err
		}
		if !has {
			return errs.Bad("You do not have permission to initiate direct message conversations.")
		}
	}
	return nil
}

func name(v *directory.View, u *user.User) string {
	if u == nil {
		return "unknown"
	}
	return permission.APIEmail(v, u)
}

// FewReaders is the largest number of readers for which wildcard mentions require no permission.
const FewReaders = 15

// Mentions holds the mentions of a message that require permission.
type Mentions struct {
	Channel      bool // all subscribers
	Topic        bool // all participants of the topic
	Participants int  // number of participants
	Groups       []group.ID
}

// CheckMentions returns an error unless sender is allowed to use all mentions. c is nil for direct messages, which have
// no wildcard limit. Errors: StreamWildcard, TopicWildcard, BadRequest.
func CheckMentions(v *directory.View, sender *user.User, c *channel.Channel, m Mentions) error {
	if c != nil && !sender.System {
		many := func() bool {
			return v.Realm() == nil || holdsDirectly(v, v.Realm().Settings.Groups, "can_mention_many_users_group", sender)
		}
		if m.Channel && len(v.Subscribers(c.ID)) > FewReaders && !many() {
			return errs.New(errs.StreamWildcard, "You do not have permission to use channel wildcard mentions in this channel.")
		}
		if m.Topic && m.Participants > FewReaders && !many() {
			return errs.New(errs.TopicWildcard, "You do not have permission to use topic wildcard mentions in this topic.")
		}
	}
	for _, id := range m.Groups {
		g := v.Group(id)
		if g == nil {
			continue
		}
		if g.System || !holdsDirectly(v, g.Permissions, "can_mention_group", sender) {
			return errs.Bad("You are not allowed to mention user group '%s'.", g.Name)
		}
	}
	return nil
}

// holdsDirectly is like holds, but does not consider the owner of a bot.
func holdsDirectly(v *directory.View, permissions map[string]group.Setting, name string, u *user.User) bool {
	s, set := permissions[name]
	return !set || permission.In(v, s, u.ID)
}
