package readstate

import (
	"maps"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// MutedPlaces is a query for the channels and topics that a user has muted, needed to count unread messages and to
// apply narrows. Several modules return a Muting, each with the fields that it stores; Join merges them. It may run
// inside Snapshot.
type MutedPlaces struct {
	Realm realm.ID
	User  user.ID
}

// Muting holds the channels and topics that a user has muted or follows.
type Muting struct {
	Channels channel.Set    // muted
	Topics   map[Topic]bool // true: muted; false: unmuted or followed, even in a muted channel
	Followed map[Topic]bool // the followed topics
}

// Topic is a topic of a channel, by its key.
type Topic struct {
	Channel channel.ID
	Key     string
}

// Join merges the results of MutedPlaces.
func Join(parts []Muting) Muting {
	out := Muting{Topics: map[Topic]bool{}, Followed: map[Topic]bool{}}
	for _, p := range parts {
		out.Channels = out.Channels.Union(p.Channels)
		maps.Copy(out.Topics, p.Topics)
		maps.Copy(out.Followed, p.Followed)
	}
	return out
}

// Muted reports whether a topic is muted, by itself or through its channel.
func (m *Muting) Muted(c channel.ID, key string) bool {
	if own, set := m.Topics[Topic{c, key}]; set {
		return own
	}
	return m.Channels.Has(c)
}

// TopicPolicies is a query for all users' visibility policies for topics of a realm. topics returns a PoliciesByTopic.
type TopicPolicies struct {
	Realm  realm.ID
	Topics []Topic
}

// PoliciesByTopic is the result of TopicPolicies. Topics without any policies are left out.
type PoliciesByTopic map[Topic]map[user.ID]topic.Visibility

// TopicFollowers is a query for the users who follow a topic. topics returns a user.Set. It may run inside a unit of
// work.
type TopicFollowers struct {
	Realm realm.ID
	Topic Topic
}
