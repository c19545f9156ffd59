package message

import "github.com/stoachat/stoa/domain/channel"

// Discussion is a topic of a channel with the messages sent since a time.
type Discussion struct {
	Channel  channel.ID
	TopicKey string
	Messages int
	Writers  int
	Newest   []ID // newest messages, oldest first
}
