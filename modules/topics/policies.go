package topics

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// policies answers readstate.TopicPolicies.
func (s *service) policies(ctx context.Context, q readstate.TopicPolicies) (readstate.PoliciesByTopic, error) {
	out := readstate.PoliciesByTopic{}
	for some := range slices.Chunk(q.Topics, block) {
		rows, err := s.rows.In(ctx, some...)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			at := readstate.Topic{Channel: row.ChannelID, Key: row.TopicKey}
			if row.RealmID != q.Realm {
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
