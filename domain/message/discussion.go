package message

import "github.com/stoachat/stoa/domain/channel"

// Discussion is a topic of a channel in which people wrote in some time.
type Discussion struct {
	Channel  channel.ID
	TopicKey string
	Messages int
	Writers  int
	Newest   []ID // the newest messages, oldest first
}
