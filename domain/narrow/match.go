package narrow

import (
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// In reports whether a conversation satisfies the conditions on channels and participants. members are the participants
// of a direct conversation, nil for a channel. It ignores other conditions.
func (n Narrow) In(v *directory.View, r message.Recipient, members user.Set) bool {
	id, isChannel := r.Channel()
	var ch *channel.Channel
	if isChannel {
		ch = v.Channel(id)
	}
	for _, c := range n.Conditions {
		var holds bool
		switch c.Op {
		case InChannel:
			holds = isChannel && c.Channel == id
		case PublicChannels:
			holds = ch != nil && !ch.Private
		case WebChannels:
			holds = ch != nil && ch.WebPublic
		case Archived:
			holds = ch != nil && ch.Archived
		case InTopic:
			if isChannel {
				continue // Holds checks topics
			}
		case Direct, Mine:
			holds = !isChannel
		case Exactly:
			holds = !isChannel && slices.Equal(c.Users, members)
		case Including:
			holds = !isChannel && members.Has(c.User)
		case GroupWith:
			holds = !isChannel && len(members) > 2 && members.Has(c.User)
		default:
			continue
		}
		if holds == c.Negated {
			return false
		}
	}
	return true
}

// ByMembers reports whether In needs the participants of direct conversations.
func (n Narrow) ByMembers() bool {
	for _, c := range n.Conditions {
		switch c.Op {
		case Exactly, Including, GroupWith:
			return true
		}
	}
	return false
}

// OnlyDirect reports whether only direct messages can match.
func (n Narrow) OnlyDirect() bool {
	return slices.ContainsFunc(n.Conditions, func(c Condition) bool {
		switch c.Op {
		case Direct, Mine, Exactly, Including, GroupWith:
			return !c.Negated
		}
		return false
	})
}

// Holds reports whether a message satisfies the conditions on its topic, sender, content and ID. In and Personal check
// the others.
func (n Narrow) Holds(m *message.Message) bool {
	_, isChannel := m.Recipient.Channel()
	for _, c := range n.Conditions {
		var holds bool
		switch c.Op {
		case InTopic:
			holds = isChannel && m.TopicKey == c.Text
		case Sender:
			holds = m.Sender == c.User
		case Resolved:
			holds = isChannel && topic.Resolved(m.TopicKey)
		case Link:
			holds = m.Facts&message.HasLink != 0
		case Image:
			holds = m.Facts&message.HasImage != 0
		case Attachment:
			holds = m.Facts&message.HasAttachment != 0
		case TheMessage:
			holds = m.ID == c.ID
		default:
			continue
		}
		if holds == c.Negated {
			return false
		}
	}
	return true
}

// State is a message's state for a reader.
type State struct {
	Read, Starred, Mentioned, Alerted bool
	Followed, Muted                   bool // the topic is followed; the topic or channel is muted
	Reacted                           bool // by any user
}

// Personal reports whether the reader's state satisfies the conditions on it.
func (n Narrow) Personal(s State) bool {
	for _, c := range n.Conditions {
		var holds bool
		switch c.Op {
		case Unread:
			holds = !s.Read
		case Starred:
			holds = s.Starred
		case Mentioned:
			holds = s.Mentioned
		case Alerted:
			holds = s.Alerted
		case Followed:
			holds = s.Followed
		case Muted:
			holds = s.Muted
		case Home:
			holds = !s.Muted
		case Reaction:
			holds = s.Reacted
		default:
			continue
		}
		if holds == c.Negated {
			return false
		}
	}
	return true
}

// ByState reports whether Personal checks anything.
func (n Narrow) ByState() bool {
	for _, c := range n.Conditions {
		switch c.Op {
		case Unread, Starred, Mentioned, Alerted, Followed, Muted, Home, Reaction:
			return true
		}
	}
	return false
}

// ByMuting reports whether the narrow depends on what the reader has muted.
func (n Narrow) ByMuting() bool {
	return slices.ContainsFunc(n.Conditions, func(c Condition) bool { return c.Op == Muted || c.Op == Home })
}

// ByFollowing reports whether the narrow depends on the topics that the reader follows.
func (n Narrow) ByFollowing() bool {
	return slices.ContainsFunc(n.Conditions, func(c Condition) bool { return c.Op == Followed })
}

// ByReactions reports whether the narrow depends on reactions.
func (n Narrow) ByReactions() bool {
	return slices.ContainsFunc(n.Conditions, func(c Condition) bool { return c.Op == Reaction })
}

// WhereMuted reports whether muted messages, or unmuted ones if muted is false, satisfy the conditions on muting. It
// ignores other conditions.
func (n Narrow) WhereMuted(muted bool) bool {
	for _, c := range n.Conditions {
		switch c.Op {
		case Muted:
			if muted == c.Negated {
				return false
			}
		case Home:
			if muted != c.Negated {
				return false
			}
		}
	}
	return true
}

// Find returns the first condition with the given Op that is not negated.
func (n Narrow) Find(op Op) (Condition, bool) {
	for _, c := range n.Conditions {
		if c.Op == op && !c.Negated {
			return c, true
		}
	}
	return Condition{}, false
}
