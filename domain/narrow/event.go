package narrow

import (
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Arrived is a message event to match against a queue's narrow.
type Arrived struct {
	Recipient message.Recipient
	Topic     string
	Sender    user.ID
	Stranger  bool     // the receiver cannot see the sender
	Flags     []string // the receiver's flags by wire name
}

// Matches reports whether an event matches the narrow of a queue. Terms with operators other than channel, topic,
// sender and is match everything. Negation is ignored, since queues refuse negated terms.
func Matches(v *directory.View, terms []Term, a Arrived) bool {
	for _, t := range terms {
		if !t.matches(v, a) {
			return false
		}
	}
	return true
}

// IsChannel reports whether the narrow of a queue consists of nothing but the given channel.
func IsChannel(v *directory.View, terms []Term, in message.Recipient) bool {
	return len(terms) == 1 && (terms[0].Operator == "channel" || terms[0].Operator == "stream") &&
		terms[0].matches(v, Arrived{Recipient: in})
}

func (t Term) matches(v *directory.View, a Arrived) bool {
	id, word, isText, err := t.idOrText()
	if err != nil {
		return false
	}
	in, isChannel := a.Recipient.Channel()
	switch t.Operator {
	case "channel", "stream":
		c := v.Channel(in)
		if !isChannel || c == nil {
			return false
		}
		return isText && v.ChannelByName(word) == c || !isText && c.ID == channel.ID(id)
	case "topic":
		return isChannel && isText && topic.Key(a.Topic) == topic.Key(topic.Canonical(word))
	case "sender":
		u := v.User(a.Sender)
		if u == nil {
			return false
		}
		if a.Stranger { // guesses must not reveal the address
			u = permission.Stranger(a.Sender)
		}
		return !isText && u.ID == user.ID(id) ||
			isText && strings.EqualFold(permission.APIEmail(v, u), strings.TrimSpace(word))
	case "is":
		return isWord(word, a, !isChannel)
	}
	return true
}

// isWord matches the operand of is. Unknown operands match everything.
func isWord(word string, a Arrived, direct bool) bool {
	has := func(flag string) bool { return slices.Contains(a.Flags, flag) }
	switch word {
	case "dm", "private":
		return direct
	case "starred":
		return has("starred")
	case "unread":
		return !has(message.NameRead)
	case "mentioned", "alerted":
		return has("mentioned")
	case "resolved":
		return !direct && topic.Resolved(a.Topic)
	}
	return true
}
