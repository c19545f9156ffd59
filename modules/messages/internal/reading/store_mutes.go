package reading

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type muteRow struct {
	bun.BaseModel `bun:"table:user_mutes"`
	UserID        user.ID `bun:",pk"`
	MutedID       user.ID `bun:",pk"`
	RealmID       realm.ID
	Since         time.Time
}

// LoadMutes puts a realm's mutes into its view.
func (s store) LoadMutes(ctx context.Context, r realm.ID, b *directory.Builder) error {
	var rows []muteRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx); err != nil {
		return err
	}
	for _, m := range rows {
		b.Mute(m.UserID, m.MutedID)
	}
	return nil
}

// Mutes gives whom a person has muted, the earliest first.
func (s store) Mutes(ctx context.Context, u user.ID) ([]muteRow, error) {
	var rows []muteRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Order("since", "muted_id").Scan(ctx)
	return rows, err
}

// Mute stores a mute; false: it was there.
func (s store) Mute(ctx context.Context, r realm.ID, u, muted user.ID, at time.Time) (bool, error) {
	row := muteRow{UserID: u, MutedID: muted, RealmID: r, Since: at}
	res, err := s.db.From(ctx).NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Unmute removes a mute; false: there was none.
func (s store) Unmute(ctx context.Context, u, muted user.ID) (bool, error) {
	res, err := s.db.From(ctx).
		NewDelete().
		Model((*muteRow)(nil)).
		Where("user_id = ?", u).
		Where("muted_id = ?", muted).
		Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
