package mutes

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type muteRow struct {
	bun.BaseModel `bun:"table:user_mutes"`
	UserID        user.ID `bun:",pk" export:"yes,consent" person:"row"`
	MutedID       user.ID `bun:",pk" export:"yes" person:"id"`
	RealmID       realm.ID
	Since         time.Time `export:"yes"`
}

// load adds a realm's mutes to its view.
func (s store) load(ctx context.Context, r realm.ID, b *directory.Builder) error {
	var rows []muteRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx); err != nil {
		return err
	}
	for _, m := range rows {
		b.Mute(m.UserID, m.MutedID)
	}
	return nil
}

// of returns a user's mutes, earliest first.
func (s store) of(ctx context.Context, u user.ID) ([]muteRow, error) {
	var rows []muteRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Order("since", "muted_id").Scan(ctx)
	return rows, err
}

// add stores a mute, unless it exists.
func (s store) add(ctx context.Context, r realm.ID, u, muted user.ID, at time.Time) error {
	row := muteRow{UserID: u, MutedID: muted, RealmID: r, Since: at}
	_, err := s.db.From(ctx).NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(ctx)
	return err
}

// remove deletes a mute, if it exists.
func (s store) remove(ctx context.Context, u, muted user.ID) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*muteRow)(nil)).
		Where("user_id = ?", u).
		Where("muted_id = ?", muted).
		Exec(ctx)
	return err
}
