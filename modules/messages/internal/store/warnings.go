package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/user"
)

// Warnings stores when the owners of bots were last warned.
type Warnings struct{ db *bunstore.DB }

type warning struct {
	bun.BaseModel `bun:"table:bot_warnings,alias:w"`
	BotID         user.ID `bun:",pk" owner:"user"`
	At            time.Time
}

// Warned reports whether a bot's owner has been warned since the given time.
func (s *Warnings) Warned(ctx context.Context, bot user.ID, since time.Time) (bool, error) {
	n, err := s.db.From(ctx).NewSelect().Model((*warning)(nil)).Where("bot_id = ?", bot).Where("at > ?", since).Count(ctx)
	return n > 0, err
}

// Warn records a warning to a bot's owner. It returns false if there has been one since the given time.
func (s *Warnings) Warn(ctx context.Context, bot user.ID, now, since time.Time) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewInsert().Model(&warning{BotID: bot, At: now}).
		On("CONFLICT (bot_id) DO UPDATE").
		Set("at = EXCLUDED.at").Where("w.at <= ?", since).Exec(ctx))
}
