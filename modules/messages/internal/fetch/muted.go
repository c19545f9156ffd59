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

// muted returns the reader's muted channels and topic policies, which it loads only once per request.
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

// inMuted reports whether a message is in a muted topic or channel. It is false for direct messages.
func inMuted(muting *readstate.Muting, m *message.Message) bool {
	c, isChannel := m.Recipient.Channel()
	return isChannel && muting.Muted(c, m.TopicKey)
}

// inFollowed reports whether the reader follows a message's topic.
func inFollowed(muting *readstate.Muting, m *message.Message) bool {
	c, isChannel := m.Recipient.Channel()
	return isChannel && muting.Followed[readstate.Topic{Channel: c, Key: m.TopicKey}]
}

// dropByMuting drops the conversations that the narrow excludes because they are muted, or because they are not, so
// that they are not searched.
func (q *query) dropByMuting(ctx context.Context) error {
	if !q.narrow.ByMuting() {
		return nil
	}
	muting, err := q.muted(ctx)
	if err != nil {
		return err
	}
	var mixedIDs []channel.ID
	for t, muted := range muting.Topics {
		if muted != muting.Channels.Has(t.Channel) {
			mixedIDs = append(mixedIDs, t.Channel)
		}
	}
	mixed := idset.Of(mixedIDs...) // channels with both muted and unmuted topics
	q.recipients = slices.DeleteFunc(q.recipients, func(r message.Recipient) bool {
		c, isChannel := r.Channel()
		return (!isChannel || !mixed.Has(c)) && !q.narrow.WhereMuted(isChannel && muting.Channels.Has(c))
	})
	return nil
}

// requireFollowed drops conversations without followed topics if the narrow requires followed topics.
func (q *query) requireFollowed(ctx context.Context) error {
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
	q.recipients = slices.DeleteFunc(q.recipients, func(r message.Recipient) bool {
		c, isChannel := r.Channel()
		return !isChannel || !in[c]
	})
	return nil
}

// skipMuted returns a function that reports whether the search for the first unread message skips a message: it skips
// messages in muted topics and channels, unless the narrow names the muted channel.
func (q *query) skipMuted(ctx context.Context) (func(*message.Message) bool, error) {
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
