package push

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
)

// standing is the push service's latest report on a realm.
type standing struct {
	bun.BaseModel `bun:"table:push_realms,alias:s"`
	RealmID       realm.ID `bun:",pk"`
	CanPush       bool
	EndsAt        *int64
}

// Standing returns the push service's latest report on a realm. By default, the service delivers for a realm.
func (s store) Standing(ctx context.Context, r realm.ID) (push.Standing, error) {
	var row standing
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&row).Where("realm_id = ?", r).Scan(ctx))
	if !found {
		return push.Standing{CanPush: true}, err
	}
	return push.Standing{CanPush: row.CanPush, Ends: row.EndsAt}, nil
}

// SetStanding stores the push service's report on a realm.
func (s store) SetStanding(ctx context.Context, r realm.ID, now push.Standing) error {
	row := &standing{RealmID: r, CanPush: now.CanPush, EndsAt: now.Ends}
	_, err := s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (realm_id) DO UPDATE").
		Set("can_push = EXCLUDED.can_push").Set("ends_at = EXCLUDED.ends_at").Exec(ctx)
	return err
}
