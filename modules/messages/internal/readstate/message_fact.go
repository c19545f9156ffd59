package readstate

import (
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// fact contains the properties of a message that determine for whom it is unread and in which conversation and topic it
// is counted.
type fact struct {
	ID        message.ID
	Recipient message.Recipient
	Topic     string
	Sender    user.ID
	ReadFor   user.ID
	Facts     message.Facts
	Notice    bool
	Moves     []readstate.Move // between channels, oldest first
}

// message returns the message in the form used by domain/readstate.
func (f fact) message() readstate.Message {
	return readstate.Message{
		ID:        f.ID,
		Recipient: f.Recipient,
		Sender:    f.Sender,
		ReadFor:   f.ReadFor,
		Notice:    f.Notice,
		Moves:     f.Moves,
	}
}

func (f fact) channel() bool {
	_, is := f.Recipient.Channel()
	return is
}

func messagesOf(fs []fact) []readstate.Message {
	out := make([]readstate.Message, len(fs))
	for i, f := range fs {
		out[i] = f.message()
	}
	return out
}

// recipients returns the distinct conversations of messages, in order of first appearance.
func recipients(fs []fact) []message.Recipient {
	seen := map[message.Recipient]bool{}
	var out []message.Recipient
	for _, f := range fs {
		if !seen[f.Recipient] {
			seen[f.Recipient] = true
			out = append(out, f.Recipient)
		}
	}
	return out
}

// movesBetween returns the channels' conversations between which messages were moved.
func movesBetween(fs []fact) []message.Recipient {
	var out []message.Recipient
	for _, f := range fs {
		for _, m := range f.Moves {
			out = append(out, m.From, m.To)
		}
	}
	return idset.Of(out...)
}

// conversations returns the conversations that messages are or were in, ascending.
func conversations(of []fact) idset.Set[message.Recipient] {
	seen := map[message.Recipient]bool{}
	for i := range of {
		seen[of[i].Recipient] = true
		for _, m := range of[i].Moves {
			seen[m.From], seen[m.To] = true, true
		}
	}
	return idset.Of(slices.Collect(maps.Keys(seen))...)
}

// place is a channel or a topic of a channel.
type place struct {
	Recipient message.Recipient
	TopicKey  *string // nil: all topics
}

func (p place) holds(f fact) bool {
	return f.Recipient == p.Recipient && (p.TopicKey == nil || topic.Key(f.Topic) == *p.TopicKey)
}
