package fetch

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/readstate"
)

// muted returns the reader's muted places. It asks for them once per request.
func (q *query) muted(ctx context.Context) (*readstate.Muting, error) {
	if q.muting == nil {
		parts, err := q.s.Muted.Ask(ctx, readstate.MutedPlaces{Realm: q.v.Realm().ID, User: q.u.ID})
		if err != nil {
			return nil, err
		}
		m := readstate.Join(parts)
		q.muting = &m
	}
	return q.muting, nil
}

// inMuted tells whether a message is in a muted place; direct messages are in none.
func inMuted(muting *readstate.Muting, m *message.Message) bool {
	c, isChannel := m.Recipient.Channel()
	return isChannel && muting.Muted(c, m.TopicKey)
}

// inFollowed tells whether the reader follows a message's topic.
func inFollowed(muting *readstate.Muting, m *message.Message) bool {
	c, isChannel := m.Recipient.Channel()
	return isChannel && muting.Followed[readstate.Topic{Channel: c, Key: m.TopicKey}]
}

// leaveMuted drops conversations that the narrow leaves out because the reader has muted them, or has not, so that
// nobody goes through what they hold.
func (q *query) leaveMuted(ctx context.Context) error {
	if !q.narrow.ByMuting() {
		return nil
	}
	muting, err := q.muted(ctx)
	if err != nil {
		return err
	}
	var some []channel.ID
	for t, muted := range muting.Topics {
		if muted != muting.Channels.Has(t.Channel) {
			some = append(some, t.Channel)
		}
	}
	mixed := idset.Of(some...) // some of their topics are muted, some are not
	q.places = slices.DeleteFunc(q.places, func(r message.Recipient) bool {
		c, isChannel := r.Channel()
		return (!isChannel || !mixed.Has(c)) && !q.narrow.WhereMuted(isChannel && muting.Channels.Has(c))
	})
	return nil
}

// keepFollowed drops conversations in which the reader follows nothing, when the narrow is on what they follow.
func (q *query) keepFollowed(ctx context.Context) error {
	if _, only := q.narrow.Find(narrow.Followed); !only {
		return nil
	}
	muting, err := q.muted(ctx)
	if err != nil {
		return err
	}
	in := map[channel.ID]bool{}
	for t := range muting.Followed {
		in[t.Channel] = true
	}
	q.places = slices.DeleteFunc(q.places, func(r message.Recipient) bool {
		c, isChannel := r.Channel()
		return !isChannel || !in[c]
	})
	return nil
}

// aside gives what is left out of the search for the first unread message: what is in muted places, but for the channel
// that the narrow names.
func (q *query) aside(ctx context.Context) (func(*message.Message) bool, error) {
	muting, err := q.muted(ctx)
	if err != nil {
		return nil, err
	}
	where := *muting
	if named, one := q.narrow.Find(narrow.InChannel); one {
		where.Channels = where.Channels.Minus(channel.Set{named.Channel})
	}
	return func(m *message.Message) bool { return inMuted(&where, m) }, nil
}
