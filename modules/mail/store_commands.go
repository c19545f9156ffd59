package mail

import (
	"context"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
)

// Of returns emails of a realm, those that are due first.
func (s store) Of(ctx context.Context, r realm.ID, limit int64) ([]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("m.realm_id = ?", r).Order("m.due_at", "m.id").Limit(limit).
		Scan(ctx)
	return rows, err
}

// idle selects the emails of a realm that no node is sending, or one of them.
const idle = "realm_id = ? AND (id = ? OR ? = 0) AND holder = ''"

// Idle counts the emails of a realm that no node is sending; id selects one of them, 0 all.
func (s store) Idle(ctx context.Context, r realm.ID, id int64) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Where(idle, r, id, id).Count(ctx)
}

// Hasten makes emails due, and returns how many.
func (s store) Hasten(ctx context.Context, r realm.ID, id int64, now time.Time) (int64, error) {
	return bunstore.Affected(s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("due_at = ?", now).
		Where(idle, r, id, id).Exec(ctx))
}

// Drop deletes emails, and returns how many.
func (s store) Drop(ctx context.Context, r realm.ID, id int64) (int64, error) {
	return bunstore.Affected(s.db.From(ctx).NewDelete().Model((*row)(nil)).Where(idle, r, id, id).Exec(ctx))
}
