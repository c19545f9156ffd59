package remove

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
)

// removedMessages is the logged payload of delete_message: messages that the receivers can no longer see because they
// were deleted or moved.
type removedMessages struct {
	IDs       idset.Packed[message.ID] `json:"ids"`
	Recipient message.Recipient        `json:"recipient"`
	Topic     string                   `json:"topic,omitempty"`
	To        message.Recipient        `json:"to,omitempty"` // where they were moved; 0: they were deleted
}

// wire is delete_message as sent to clients.
type wire struct {
	IDs     []message.ID `json:"message_ids,omitempty"` // for clients with BulkMessageDeletion
	ID      message.ID   `json:"message_id,omitempty"`  // for other clients
	Type    string       `json:"message_type"`
	Channel channel.ID   `json:"stream_id,omitempty"`
}

// personal contains the topic, if the receiver can see it.
type personal struct {
	Topic *string `json:"topic,omitempty"`
}

var deleted = kit.Event[removedMessages](message.EventDelete, "").Forms(shape).Personal(receive).ForFollowers().
	Sends(struct {
		wire
		personal
	}{})

// Event returns the event type delete_message.
func Event() kit.AnyEvent { return deleted.Any() }

// RemovedEvents returns the events for users who can no longer see messages of a conversation. lowest is the lowest ID
// of all messages in the shares. to is the conversation that they were moved to, or 0 if they were deleted.
func RemovedEvents(
	r realm.ID, shares []audience.Share, lowest message.ID, from message.Recipient, topic string, to message.Recipient,
) []event.Event {
	out := make([]event.Event, len(shares))
	for i, h := range shares {
		ids := idset.Packed[message.ID](idsOf(h.Messages))
		out[i] = deleted.To(r, h.To, removedMessages{IDs: ids, Recipient: from, Topic: topic, To: to}).About(int64(lowest))
	}
	return out
}

// byTopic returns the events for deleted messages, one for each share and topic, since an event names only one topic.
// lowest is the lowest ID of all deleted messages.
func byTopic(r realm.ID, shares []audience.Share, lowest message.ID) []event.Event {
	type place struct {
		in    message.Recipient
		topic string
	}
	var all []event.Event
	for _, share := range shares {
		at := map[place]int{}
		var topics []audience.Share
		for _, m := range share.Messages {
			p := place{m.Recipient, m.TopicKey}
			i, ok := at[p]
			if !ok {
				i = len(topics)
				at[p], topics = i, append(topics, audience.Share{To: share.To})
			}
			topics[i].Messages = append(topics[i].Messages, m)
		}
		for _, t := range topics {
			first := &t.Messages[0]
			all = append(all, RemovedEvents(r, []audience.Share{t}, lowest, first.Recipient, first.Topic, 0)...)
		}
	}
	return all
}

func shape(_ context.Context, _ *directory.View, c event.Client, g *removedMessages) []any {
	w := wire{Type: "private"}
	if id, isChannel := g.Recipient.Channel(); isChannel {
		w.Type, w.Channel = "stream", id
	}
	if c.BulkMessageDeletion {
		w.IDs = g.IDs
		return []any{w}
	}
	all := make([]any, len(g.IDs))
	for i, id := range g.IDs {
		w.ID = id
		all[i] = w
	}
	return all
}

// receive adds the topic for users who can still read the channel. Users who have left it in the meantime receive only
// the IDs, since their clients may have cached the messages.
//
// Queues that follow the channel are not addressed: their users may still be able to read messages that were moved.
func receive(r event.Receiver, g *removedMessages) (any, bool) {
	if !r.Addressed {
		moved := g.To != 0 && message.AccessTo(r.Head, g.To, r.Head.User(r.User.ID)) != message.NoAccess
		if moved || !r.Follows(g.Recipient) {
			return nil, false
		}
	}
	if _, isChannel := g.Recipient.Channel(); !isChannel {
		return personal{}, true
	}
	name := ""
	if message.AccessTo(r.Head, g.Recipient, r.Head.User(r.User.ID)) != message.NoAccess {
		name = topic.Show(g.Topic, r.Queue.Client.EmptyTopicName)
	}
	return personal{&name}, true
}
