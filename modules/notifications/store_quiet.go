package notifications

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/quiet"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type quietRow struct {
	bun.BaseModel `bun:"table:quiet_hours,alias:q"`
	UserID        user.ID `bun:",pk" export:"yes,consent" person:"row"`
	RealmID       realm.ID
	PausedUntil   int64  `export:"yes"`
	Schedule      string `export:"yes"` // JSON; empty: none
}

// Quiet returns when the notifications of users are silenced, for those for whom they ever are.
func (s store) Quiet(ctx context.Context, r realm.ID, us []user.ID) (map[user.ID]quiet.Hours, error) {
	var rows []quietRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Where("realm_id = ?", r).Scan(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[user.ID]quiet.Hours, len(rows))
	for _, row := range rows {
		h := quiet.Hours{PausedUntil: row.PausedUntil}
		if row.Schedule != "" {
			if err := json.Unmarshal([]byte(row.Schedule), &h.Schedule); err != nil {
				return nil, err
			}
		}
		all[row.UserID] = h
	}
	return all, nil
}

// SetQuiet stores when a user's notifications are silenced.
func (s store) SetQuiet(ctx context.Context, r realm.ID, u user.ID, h quiet.Hours) error {
	if h.Equal(quiet.Hours{}) {
		_, err := s.db.From(ctx).NewDelete().Model((*quietRow)(nil)).Where("user_id = ?", u).Where("realm_id = ?", r).
			Exec(ctx)
		return err
	}
	row := quietRow{UserID: u, RealmID: r, PausedUntil: h.PausedUntil}
	if h.Schedule != nil {
		text, err := json.Marshal(h.Schedule)
		if err != nil {
			return err
		}
		row.Schedule = string(text)
	}
	_, err := s.db.From(ctx).NewInsert().Model(&row).On("CONFLICT (user_id) DO UPDATE").
		Set("paused_until = EXCLUDED.paused_until").Set("schedule = EXCLUDED.schedule").Exec(ctx)
	return err
}
