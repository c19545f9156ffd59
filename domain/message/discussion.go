package message

import "github.com/stoachat/stoa/domain/channel"

// Discussion is a topic with statistics of the messages sent in it since a time.
type Discussion struct {
	Channel  channel.ID
	TopicKey string
	Messages int
	Writers  int
	Newest   []ID // the newest messages, in ascending order
}
