package narrow

import (
	"encoding/json"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// CutWith returns the message that a with term names, or 0 without such a term, and the other terms. Errors: BadNarrow.
func CutWith(terms []Term) (message.ID, []Term, error) {
	var id message.ID
	rest := make([]Term, 0, len(terms))
	for _, t := range terms {
		if t.Operator != "with" {
			rest = append(rest, t)
			continue
		}
		if id != 0 {
			return 0, nil, badCombination("Duplicate 'with' operators.")
		}
		n, ok, err := t.messageID()
		if err != nil {
			return 0, nil, err
		}
		if !ok || n == 0 || t.Negated {
			return 0, nil, Bad("Invalid 'with' operator")
		}
		id = n
	}
	return id, rest, nil
}

// Conversation is a conversation as terms describe it: a channel's topic, or the participants of a direct conversation.
type Conversation struct {
	Channel channel.ID
	Topic   string
	Members user.Set
}

// SetConversation replaces all terms that describe a conversation by those for another one. It applies if the user can
// read the message of a with term.
func SetConversation(terms []Term, to Conversation) []Term {
	moved := make([]Term, 0, len(terms)+2)
	for _, t := range terms {
		switch t.Operator {
		case "channel", "topic", "dm":
		default:
			moved = append(moved, t)
		}
	}
	if to.Channel == 0 {
		return append(moved, Term{Operator: "dm", Operand: operand(to.Members)})
	}
	return append(
		moved,
		Term{Operator: "channel", Operand: operand(to.Channel)},
		Term{Operator: "topic", Operand: operand(to.Topic)},
	)
}

// CheckConversation checks that terms describe a conversation, as is required if the user can't read the message of a
// with term. Errors: BadNarrow.
func CheckConversation(terms []Term) error {
	var inChannel, inTopic bool
	for _, t := range terms {
		switch t.Operator {
		case "dm":
			return nil
		case "channel":
			inChannel = true
		case "topic":
			inTopic = true
		}
	}
	if inChannel && inTopic {
		return nil
	}
	return Bad("Invalid 'with' operator")
}

// operand encodes an ID, a list of IDs or a text, which cannot fail.
func operand(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}
