// Package send sends messages. A request is checked and rendered as a draft outside of any transaction. Drafts that are
// waiting at the same time are written in one batch, without any work per reader.
package send

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

// draft is a rendered message that has passed the checks. They are repeated on the view of the transaction.
type draft struct {
	message      message.Message
	original     string     // the content before it was revised
	channel      channel.ID // 0 for a direct message
	members      user.Set   // participants of a direct message
	rendered     markdown.Output
	participants []user.ID // participants of the topic, if all of them are mentioned
	alerted      user.Set  // users with an alert word in the content
	unreadNotice user.Set  // users for whom it is unread although it is a notice
	silent       bool      // see message.Outgoing
	widget       string    // the first submessage, or ""
	reply        bool      // see message.Outgoing
	viewer       user.ID   // see message.Outgoing
	files        []string  // see message.Outgoing
	hasMessages  lazyBool  // whether the topic or the direct conversation has messages
	url          string    // address at which the sender reached the realm
	queue, local string    // identify the message for the sender's client
	key, body    string    // idempotency key, or "", and a hash of the message
	strict       bool      // reusing the key for another message is an error
	tried        bool      // an earlier attempt to write it was not committed

	changesPolicy bool // it may change the sender's policy for the topic

	flags  flags.Assignment // flags that the message determines
	id     message.ID       // result: ID of the message
	policy topic.Visibility // result: policy that the sender got for the topic
}

// size returns the approximate size of the draft in bytes.
func (d *draft) size() int { return len(d.message.Content) + len(d.message.Rendered) + 256 }

// lazyBool is a query that runs at most once and only if a check needs the result.
type lazyBool struct {
	eval      func(context.Context) (bool, error)
	evaluated bool
	value     bool
}

func (q *lazyBool) get(ctx context.Context) (bool, error) {
	if q.evaluated {
		return q.value, nil
	}
	yes, err := q.eval(ctx)
	if err == nil {
		q.evaluated, q.value = true, yes
	}
	return yes, err
}

// sender returns the sender's record. Errors: Unauthorized.
func (d *draft) sender(v *directory.View) (*user.User, error) {
	u := v.User(d.message.Sender)
	if u == nil || !u.Active {
		return nil, user.AccountDeactivated()
	}
	return u, nil
}

// checkPlace checks that the sender may send messages to this conversation and topic.
func (d *draft) checkPlace(ctx context.Context, v *directory.View) error {
	u, err := d.sender(v)
	if err != nil {
		return err
	}
	if d.channel == 0 {
		return message.CheckDirect(v, u, d.members, func() (bool, error) { return d.hasMessages.get(ctx) })
	}
	c := v.Channel(d.channel)
	if c == nil {
		_, err := message.FindChannel(v, message.ToChannel{ID: d.channel})
		return err
	}
	if d.reply && !c.Archived {
		return d.checkTopic(v, c)
	}
	if err := message.CheckPost(v, u, c); err != nil {
		return err
	}
	if !message.MayCreateTopics(v, u, c) {
		has, err := d.hasMessages.get(ctx)
		if err != nil {
			return err
		}
		if !has {
			return errs.Bad("You do not have permission to create new topics in this channel.")
		}
	}
	if u.System {
		return nil
	}
	return d.checkTopic(v, c)
}

// checkTopic checks that the channel's policy allows the topic.
func (d *draft) checkTopic(v *directory.View, c *channel.Channel) error {
	if v.Realm() == nil {
		return nil
	}
	return topic.CheckPolicy(c.TopicsPolicy, v.Realm().Settings.TopicsPolicy, d.message.Topic)
}

// checkMentions checks that the sender may use the mentions.
func (d *draft) checkMentions(v *directory.View) error {
	u, err := d.sender(v)
	if err != nil {
		return err
	}
	return message.CheckMentions(v, u, v.Channel(d.channel), message.Mentions{
		Channel: d.rendered.ChannelWildcard, Topic: d.rendered.TopicWildcard, Groups: d.rendered.Groups,
		Participants: len(d.readers(v).And(d.topicParticipants())),
	})
}

// readers returns the users who receive the message.
func (d *draft) readers(v *directory.View) user.Set {
	if d.channel == 0 {
		return d.members.And(v.Active())
	}
	return v.Subscribers(d.channel)
}

// mentionedBots returns the bots that receive a channel message without being subscribed, because it mentions them by
// name and their owners can read the channel.
func (d *draft) mentionedBots(v *directory.View) user.Set {
	c := v.Channel(d.channel)
	if c == nil {
		return nil
	}
	var all []user.ID
	for _, id := range d.rendered.Users {
		if u := v.User(id); u != nil && u.Active && u.BotType == user.GenericBot && !v.Subscribed(id, c.ID) &&
			permission.OwnerReads(v, c, u) {
			all = append(all, id)
		}
	}
	return idset.Of(all...)
}

// topicParticipants returns the participants of the topic, including the sender, if the message mentions them.
func (d *draft) topicParticipants() user.Set {
	if !d.rendered.TopicWildcard {
		return nil
	}
	return idset.Of(append(d.participants, d.message.Sender)...)
}

// mentioned returns the readers who are mentioned by name or through a group.
func (d *draft) mentioned(v *directory.View) user.Set {
	all := idset.Of(d.rendered.Users...)
	for _, g := range d.rendered.Groups {
		if v.Group(g) != nil {
			all = all.Union(permission.Members(v, group.Named(g)))
		}
	}
	return all.And(d.readers(v))
}

// addressed returns the users mentioned by name, even if they do not receive the message, and the readers mentioned
// through a group. d.flags must be set.
func (d *draft) addressed() user.Set {
	if len(d.rendered.Users) == 0 {
		return d.flags.Mentioned
	}
	return idset.Of(d.rendered.Users...).Union(d.flags.Mentioned)
}

// sentFlags returns the flags that the message determines. Their number depends on the mentioned users, not on the
// number of readers.
func (d *draft) sentFlags(v *directory.View) flags.Assignment {
	readers := d.readers(v)
	return flags.Assignment{
		Message: d.message, Mentioned: d.mentioned(v), Personally: idset.Of(d.rendered.Users...).And(readers),
		TopicWildcard: d.topicParticipants().And(readers), Alerted: d.alerted.And(readers),
		Unread:    d.unreadNotice.And(readers),
		ByMention: d.mentionedBots(v),
	}
}

// identify sets the key that repeated requests share, and the hash of the message that they must match.
func (d *draft) identify(header string) {
	switch {
	case header != "":
		d.key, d.strict = hash("header", header), true
	case d.queue != "" && d.local != "":
		d.key = hash("local", d.queue, d.local)
	default:
		return
	}
	d.body = hash(fmt.Sprint(d.message.Recipient), d.message.Topic, d.original)
}

// hash returns a hash of a list of texts. Different lists have different inputs to the hash, whatever they contain.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
