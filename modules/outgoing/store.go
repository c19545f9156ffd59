package outgoing

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// row is a call that waits, or is being made.
type row struct {
	bun.BaseModel `bun:"table:outgoing_calls,alias:c"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	BotID         user.ID
	MessageID     message.ID
	Tries         int // that were begun
	DueAt         time.Time
	Running       bool
	CreatedAt     time.Time
}

// failure is when the owner of a bot was last told of one.
type failure struct {
	bun.BaseModel `bun:"table:outgoing_failures,alias:f"`
	BotID         user.ID `bun:",pk"`
	ToldAt        time.Time
}

// Waiting counts the calls of each of these bots.
func (s store) Waiting(ctx context.Context, bots user.Set) (map[user.ID]int, error) {
	var rows []struct {
		BotID user.ID
		N     int
	}
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("bot_id").ColumnExpr("COUNT(*) AS n").
		Where("bot_id IN (?)", bun.List([]user.ID(bots))).Group("bot_id").Scan(ctx, &rows)
	out := make(map[user.ID]int, len(rows))
	for _, r := range rows {
		out[r.BotID] = r.N
	}
	return out, err
}

// Add stores calls.
func (s store) Add(ctx context.Context, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Next gives the call that is due for the longest time, of bots for which fewer than perBot are being made; nil if there is none.
func (s store) Next(ctx context.Context, now time.Time, perBot int) (*row, error) {
	db := s.db.From(ctx)
	busy := db.NewSelect().Model((*row)(nil)).ModelTableExpr("outgoing_calls AS o").ColumnExpr("o.bot_id").Where("o.running").
		Where("o.due_at > ?", now).GroupExpr("o.bot_id").Having("COUNT(*) >= ?", perBot)
	var r row
	err := db.NewSelect().Model(&r).Where("c.due_at <= ?", now).Where("c.bot_id NOT IN (?)", busy).Order("c.due_at", "c.id").Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &r, err
}

// Take makes a call this worker's until then, unless another one was faster.
func (s store) Take(ctx context.Context, r *row, now, until time.Time) (bool, error) {
	return s.one(s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("tries = tries + 1").Set("running = TRUE").Set("due_at = ?", until).
		Where("id = ?", r.ID).Where("tries = ?", r.Tries).Where("due_at <= ?", now).Exec(ctx))
}

// PutOff makes a call that this worker has anybody's from then on.
func (s store) PutOff(ctx context.Context, r *row, at time.Time, tries int) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("tries = ?", tries).Set("running = FALSE").Set("due_at = ?", at).
		Where("id = ?", r.ID).Where("tries = ?", r.Tries).Exec(ctx)
	return err
}

// Done takes a call out of the queue that this worker has; false if it has it no more.
func (s store) Done(ctx context.Context, r *row) (bool, error) {
	return s.one(s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", r.ID).Where("tries = ?", r.Tries).Exec(ctx))
}

// Tell notes that the owner of a bot is told of a failure now, unless they were since then.
func (s store) Tell(ctx context.Context, b user.ID, now, since time.Time) (bool, error) {
	return s.one(s.db.From(ctx).NewInsert().Model(&failure{BotID: b, ToldAt: now}).On("CONFLICT (bot_id) DO UPDATE").
		Set("told_at = EXCLUDED.told_at").Where("f.told_at <= ?", since).Exec(ctx))
}

func (store) one(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
