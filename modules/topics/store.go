package topics

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// row is one policy; there is none for topic.None.
type row struct {
	bun.BaseModel `bun:"table:user_topics,alias:t"`
	UserID        user.ID    `bun:",pk"`
	ChannelID     channel.ID `bun:",pk"`
	TopicKey      string     `bun:",pk"`
	RealmID       realm.ID
	Topic         string
	Policy        topic.Visibility
	UpdatedAt     time.Time
}

// Of gives the policies of some people.
func (s store) Of(ctx context.Context, r realm.ID, us ...user.ID) ([]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Where("realm_id = ?", r).
		Order("user_id", "channel_id", "topic_key").Scan(ctx)
	return rows, err
}

// Policy gives the policy of one topic.
func (s store) Policy(ctx context.Context, r row) (topic.Visibility, error) {
	var found []topic.Visibility
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("policy").Where("user_id = ?", r.UserID).
		Where("channel_id = ?", r.ChannelID).Where("topic_key = ?", r.TopicKey).Scan(ctx, &found)
	if err != nil || len(found) == 0 {
		return topic.None, err
	}
	return found[0], nil
}

// Set writes a policy.
func (s store) Set(ctx context.Context, r row) error {
	if r.Policy == topic.None {
		_, err := s.db.From(ctx).NewDelete().Model(&r).WherePK().Exec(ctx)
		return err
	}
	_, err := s.db.From(ctx).NewInsert().Model(&r).On("CONFLICT (user_id, channel_id, topic_key) DO UPDATE").
		Set("topic = EXCLUDED.topic").Set("policy = EXCLUDED.policy").Set("updated_at = EXCLUDED.updated_at").Exec(ctx)
	return err
}
