package topics

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// row is a policy other than topic.None.
type row struct {
	bun.BaseModel `bun:"table:user_topics,alias:t"`
	UserID        user.ID    `bun:",pk" export:"yes,consent" person:"row"`
	ChannelID     channel.ID `bun:",pk" export:"yes"`
	TopicKey      string     `bun:",pk" export:"no"`
	RealmID       realm.ID
	Topic         string           `export:"yes"`
	Policy        topic.Visibility `export:"yes"`
	Automatic     bool             `export:"no"` // acquired by taking part in the topic, or before this was recorded
	UpdatedAt     time.Time        `export:"yes"`
}

// adapt completes an imported policy.
func adapt(_ importing.Mapping, r *row) (bool, error) {
	r.TopicKey = topic.Key(r.Topic)
	return true, nil
}

// Of returns the users' policies.
func (s store) Of(ctx context.Context, r realm.ID, us ...user.ID) ([]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Where("realm_id = ?", r).
		Order("user_id", "channel_id", "topic_key").Scan(ctx)
	return rows, err
}

// block is the maximum number of rows in one statement.
const block = 1000

// policyKey is the key of a user's policy.
type policyKey struct {
	User user.ID
	readstate.Topic
}

func (r *row) key() policyKey {
	return policyKey{r.UserID, readstate.Topic{Channel: r.ChannelID, Key: r.TopicKey}}
}

// At returns the policies with the given keys.
func (s store) At(ctx context.Context, keys []policyKey) (map[policyKey]row, error) {
	found := make(map[policyKey]row, len(keys))
	for some := range slices.Chunk(keys, block) {
		tuples := make([][]any, len(some))
		for i, p := range some {
			tuples[i] = []any{p.User, p.Channel, p.Key}
		}
		var rows []row
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("(user_id, channel_id, topic_key) IN (?)", bunstore.Tuples(tuples)).
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[r.key()] = r
		}
	}
	return found, nil
}

// In returns all users' policies for topics of a realm.
func (s store) In(ctx context.Context, ts ...readstate.Topic) ([]row, error) {
	keys := make([][]any, len(ts))
	for i, t := range ts {
		keys[i] = []any{t.Channel, t.Key}
	}
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("(channel_id, topic_key) IN (?)", bunstore.Tuples(keys)).
		Order("channel_id", "topic_key", "user_id").Scan(ctx)
	return rows, err
}

// Muting returns the pairs of user and channel, among the channels cs, in which the user has muted topics. If us is not
// empty, only these users are considered.
func (s store) Muting(ctx context.Context, r realm.ID, cs []channel.ID,
	us ...user.ID) ([]channel.SubscriptionRef, error) {
	if len(cs) == 0 {
		return nil, nil
	}
	chunks := slices.Collect(slices.Chunk(us, block))
	if len(us) == 0 {
		chunks = [][]user.ID{nil}
	}
	var all []channel.SubscriptionRef
	for _, some := range chunks {
		var rows []row
		q := s.db.From(ctx).NewSelect().Model(&rows).Distinct().Column("user_id", "channel_id").
			Where("channel_id IN (?)", bun.List(cs)).Where("realm_id = ?", r).Where("policy = ?", topic.Muted)
		if len(some) > 0 {
			q = q.Where("user_id IN (?)", bun.List(some))
		}
		if err := q.Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			all = append(all, channel.SubscriptionRef{User: r.UserID, Channel: r.ChannelID})
		}
	}
	return all, nil
}

// Count returns the number of topics for which a user has a policy.
func (s store) Count(ctx context.Context, u user.ID) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("user_id = ?", u).Count(ctx)
}

// Set stores policies and deletes those with policy topic.None. Each key must occur only once.
func (s store) Set(ctx context.Context, rows ...row) error {
	var stored []row
	var removed [][]any
	for _, r := range rows {
		if r.Policy == topic.None {
			removed = append(removed, []any{r.UserID, r.ChannelID, r.TopicKey})
		} else {
			stored = append(stored, r)
		}
	}
	for some := range slices.Chunk(removed, block) {
		_, err := s.db.From(ctx).
			NewDelete().
			Model((*row)(nil)).
			Where("(user_id, channel_id, topic_key) IN (?)", bunstore.Tuples(some)).
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(stored, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (user_id, channel_id, topic_key) DO UPDATE").
			Set("topic = EXCLUDED.topic").Set("policy = EXCLUDED.policy").Set("automatic = EXCLUDED.automatic").
			Set("updated_at = EXCLUDED.updated_at").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
