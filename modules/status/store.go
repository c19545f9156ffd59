package status

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:user_statuses,alias:s"`
	UserID        user.ID `bun:",pk" export:"yes" person:"row"`
	RealmID       realm.ID
	Text          string `export:"yes"`
	EmojiName     string `export:"yes"`
	EmojiCode     string `export:"yes"`
	EmojiType     string `export:"yes"`
	EndsAt        int64  `export:"yes"`
}

// earliestEnd selects when the first status ends.
const earliestEnd = "SELECT min(ends_at) FROM user_statuses WHERE ends_at > 0"

// adapt translates the emoji of an imported status.
func adapt(m importing.Mapping, r *row) (bool, error) {
	if r.EmojiType == message.RealmEmoji {
		if r.EmojiCode = m.Text("custom_emoji", r.EmojiCode); r.EmojiCode == "" {
			r.EmojiName, r.EmojiType = "", ""
		}
	}
	return r.Text != "" || r.EmojiName != "", nil
}

func (r *row) status() status.Status {
	return status.Status{
		Text: r.Text, EmojiName: r.EmojiName, EmojiCode: r.EmojiCode, EmojiType: r.EmojiType, End: r.EndsAt,
	}
}

// All returns the statuses of a realm's users.
func (s store) All(ctx context.Context, r realm.ID) (map[user.ID]status.Status, error) {
	return s.find(ctx, r, func(q *bun.SelectQuery) *bun.SelectQuery { return q })
}

func (s store) find(
	ctx context.Context,
	r realm.ID,
	which func(*bun.SelectQuery) *bun.SelectQuery,
) (map[user.ID]status.Status, error) {
	var rows []row
	err := which(s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r)).Scan(ctx)
	all := make(map[user.ID]status.Status, len(rows))
	for i := range rows {
		all[rows[i].UserID] = rows[i].status()
	}
	return all, err
}

// maxByID is the maximum number of users that are queried by ID. For more users the whole realm is read.
const maxByID = 500

// Among returns the statuses of the given users, and possibly of others.
func (s store) Among(ctx context.Context, r realm.ID, us user.Set) (map[user.ID]status.Status, error) {
	if len(us) > maxByID {
		return s.All(ctx, r)
	}
	return s.find(ctx, r, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("user_id IN (?)", bun.List(us)) })
}

// Of returns the status of one user.
func (s store) Of(ctx context.Context, r realm.ID, u user.ID) (status.Status, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Where("realm_id = ?", r).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return status.Status{}, err
	}
	return rows[0].status(), nil
}

// Ended returns the users whose statuses have ended, at most limit, by the end.
func (s store) Ended(ctx context.Context, now time.Time, limit int64) (map[realm.ID][]user.ID, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("user_id", "realm_id").Where("ends_at > 0").
		Where("ends_at <= ?", now.Unix()).Order("ends_at", "user_id").Limit(limit).Scan(ctx)
	byRealm := map[realm.ID][]user.ID{}
	for _, r := range rows {
		byRealm[r.RealmID] = append(byRealm[r.RealmID], r.UserID)
	}
	return byRealm, err
}

// Set stores a user's status.
func (s store) Set(ctx context.Context, r realm.ID, u user.ID, now status.Status) error {
	if now == (status.Status{}) {
		_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).Where("realm_id = ?", r).Exec(ctx)
		return err
	}
	_, err := s.db.From(ctx).NewInsert().Model(&row{
		UserID: u, RealmID: r, Text: now.Text, EmojiName: now.EmojiName, EmojiCode: now.EmojiCode, EmojiType: now.EmojiType,
		EndsAt: now.End,
	}).On("CONFLICT (user_id) DO UPDATE").Set("text = EXCLUDED.text").Set("emoji_name = EXCLUDED.emoji_name").
		Set("emoji_code = EXCLUDED.emoji_code").Set("emoji_type = EXCLUDED.emoji_type").
		Set("ends_at = EXCLUDED.ends_at").Exec(ctx)
	return err
}
