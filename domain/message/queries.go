package message

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
)

// TopicStarts asks, per channel message, whether it begins its topic for its sender, who may read no message with a
// lower id in it. A message without an id is still to be sent. Only Sender, Recipient, TopicKey and ID matter. The
// module messages answers with a bool per message; it may be asked within a commit.
type TopicStarts struct {
	Realm    realm.ID
	Messages []Message
}

// ChannelCounts asks how many messages were sent to channels, by day. The module messages answers with Counted, for as
// many messages as it examines in one go, oldest first.
type ChannelCounts struct {
	After  ID        // counts messages with higher ids
	Since  time.Time // ignores earlier messages
	Before time.Time // leaves later messages to the next query: others with lower ids may still be uncommitted
}

// Counted is the answer to ChannelCounts.
type Counted struct {
	Upto ID // the last id that was examined; After if there was none
	Sent map[realm.ID][]channel.Counted
}

// PagePreviews asks, before messages are rendered again, for the previews of the pages that they link to, each page
// once. The answer is a markdown.Embed per page with a preview. An error keeps the messages as they are.
type PagePreviews struct {
	Realm realm.ID
	Pages []string // targets of links
}

// RetentionDays asks for the number of days, message_retention_days, for which each active realm with a limit keeps
// messages. The module realm answers from rows with a map by realm.
type RetentionDays struct{}

// OldestRetained asks for the oldest message of each channel with a limit. Days are the limits of realms, for channels
// without their own. The module channels answers from rows with a list of First.
type OldestRetained struct {
	Days map[realm.ID]int
}

// First is the oldest message of a channel that keeps messages for so many days.
type First struct {
	Realm   realm.ID
	Message ID
	Days    int
}
