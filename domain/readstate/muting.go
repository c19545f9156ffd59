package readstate

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Muting is a moment: it asks which places somebody has muted, to count what is unread and to leave such places out of
// narrows. Whoever knows adds to it: channels the muted channels, topics the policies of topics. It may run inside
// Snapshot; an error fails the request.
type Muting struct {
	Realm    realm.ID
	User     user.ID
	Channels channel.Set    // muted
	Topics   map[Topic]bool // true: muted; false: unmuted or followed, whatever the channel is
	Followed map[Topic]bool // the followed topics
}

// Topic is a topic of a channel, by its key.
type Topic struct {
	Channel channel.ID
	Key     string
}

// Followers is a moment: it asks who follows a topic. It runs in the commit of a notice that only they are to have
// unread.
type Followers struct {
	Realm realm.ID
	Topic Topic
	Users user.Set
}

// Muted tells whether a topic is in a muted place.
func (m *Muting) Muted(c channel.ID, key string) bool {
	if own, set := m.Topics[Topic{c, key}]; set {
		return own
	}
	return m.Channels.Has(c)
}
