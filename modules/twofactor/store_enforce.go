package twofactor

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// AskAll stores when the organization first required a second factor of users, unless that is known.
func (s store) AskAll(ctx context.Context, r realm.ID, us []user.ID, now time.Time) error {
	rows := make([]factors, len(us))
	for i, u := range us {
		rows[i] = factors{UserID: u, RealmID: r}
	}
	if _, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (user_id) DO NOTHING").Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewUpdate().Model((*factors)(nil)).Set("asked_at = ?", now.Unix()).
		Where("user_id IN (?)", bun.List(us)).Where("asked_at = 0").Exec(ctx)
	return err
}

// AskingRealms returns the realms that have required a second factor of somebody.
func (s store) AskingRealms(ctx context.Context) ([]realm.ID, error) {
	var ids []realm.ID
	err := s.db.From(ctx).NewSelect().Model((*factors)(nil)).Distinct().Column("realm_id").Where("asked_at > 0").
		Order("realm_id").Scan(ctx, &ids)
	return ids, err
}

const hasFactor = "(f.secret <> '' OR EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = f.user_id))"

// Lacking returns the rows of those of users who have no second factor.
func (s store) Lacking(ctx context.Context, us []user.ID) ([]factors, error) {
	var rows []factors
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Where("NOT " + hasFactor).
		Order("user_id").Scan(ctx)
	return rows, err
}

// SetEnded stores when the logins of a user were ended.
func (s store) SetEnded(ctx context.Context, u user.ID, now time.Time) error {
	_, err := s.update(ctx, u, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("ended_at = ?", now.Unix()) })
	return err
}

// ForgetEnded forgets that the logins of users were ended who have set up a second factor.
func (s store) ForgetEnded(ctx context.Context, us []user.ID) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*factors)(nil)).Set("ended_at = 0").
		Where("f.user_id IN (?)", bun.List(us)).Where("f.ended_at > 0").Where(hasFactor).Exec(ctx)
	return err
}
