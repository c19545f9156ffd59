package webhooks

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// notice records when a bot's owner was last notified that a webhook was not posted.
type notice struct {
	bun.BaseModel `bun:"table:webhook_notices,alias:n"`
	BotID         user.ID   `bun:",pk" owner:"user"`
	Integration   string    `bun:",pk"`
	NotifiedAt    time.Time `bun:"told_at"`
}

// AddNotice records that a bot's owner is notified now. It returns false if the owner has already been notified after
// since.
func (s store) AddNotice(ctx context.Context, bot user.ID, integration string, now, since time.Time) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewInsert().
		Model(&notice{BotID: bot, Integration: integration, NotifiedAt: now}).
		On("CONFLICT (bot_id, integration) DO UPDATE").
		Set("told_at = EXCLUDED.told_at").Where("n.told_at <= ?", since).Exec(ctx))
}
