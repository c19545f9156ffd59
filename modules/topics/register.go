package topics

import (
	"context"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/modules/kit"
)

type section struct {
	Policies []policy `json:"user_topics"`
}

func (s *service) section(ctx context.Context, a kit.Actor, c event.Client) (section, error) {
	rows, err := s.rows.Of(ctx, a.Realm, a.User)
	if err != nil {
		return section{}, err
	}
	out := section{make([]policy, len(rows))}
	for i, r := range rows {
		out.Policies[i] = shown(r, c.EmptyTopicName)
	}
	return out, nil
}

func (s *service) mutedSection(ctx context.Context, a kit.Actor, c event.Client) (mutedList, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return mutedList{}, err
	}
	rows, err := s.rows.Of(ctx, a.Realm, a.User)
	return muted(v, a.User, rows, c.EmptyTopicName), err
}

// mutedPlaces answers [readstate.MutedPlaces] with a user's topic policies.
func (s *service) mutedPlaces(ctx context.Context, q readstate.MutedPlaces) (readstate.Muting, error) {
	rows, err := s.rows.Of(ctx, q.Realm, q.User)
	m := readstate.Muting{Topics: make(map[readstate.Topic]bool, len(rows)), Followed: map[readstate.Topic]bool{}}
	for _, r := range rows {
		at := readstate.Topic{Channel: r.ChannelID, Key: r.TopicKey}
		m.Topics[at] = r.Policy == topic.Muted
		if r.Policy == topic.Followed {
			m.Followed[at] = true
		}
	}
	return m, err
}
