package topics

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Policies implements [ports.TopicPolicies].
func (s *service) Policies(
	ctx context.Context, r realm.ID, topics ...readstate.Topic,
) (map[readstate.Topic]map[user.ID]topic.Visibility, error) {
	out := map[readstate.Topic]map[user.ID]topic.Visibility{}
	for some := range slices.Chunk(topics, block) {
		rows, err := s.rows.In(ctx, some...)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			at := readstate.Topic{Channel: row.ChannelID, Key: row.TopicKey}
			if row.RealmID != r {
				continue
			}
			if out[at] == nil {
				out[at] = map[user.ID]topic.Visibility{}
			}
			out[at][row.UserID] = row.Policy
		}
	}
	return out, nil
}
