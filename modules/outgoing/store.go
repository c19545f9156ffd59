package outgoing

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// row is a queued or running call.
type row struct {
	bun.BaseModel `bun:"table:outgoing_calls,alias:c"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	BotID         user.ID `person:"row"`
	OwnerID       user.ID `person:"row"` // the bot's owner when the message was sent; the bot itself if it has none
	MessageID     message.ID
	Tries         int // number of attempts started
	DueAt         time.Time
	Holder        string // the node that makes the call; "" if none does
	Dropped       bool   // not a call, but a notice to the owner that calls were dropped
	CreatedAt     time.Time
}

// failure records when a bot's owner was last notified of a failure.
type failure struct {
	bun.BaseModel `bun:"table:outgoing_failures,alias:f"`
	BotID         user.ID `bun:",pk" owner:"user"`
	ToldAt        time.Time
}

// waiting counts queued calls by owner and by bot, and contains the owners with a queued notice about dropped calls.
type waiting struct {
	owners, bots map[user.ID]int
	notified     map[user.ID]bool
}

// earliest selects when the first call is due. Calls that are being made count, since their node may die.
const earliest = "SELECT min(due_at) FROM outgoing_calls"

// Waiting counts the queued calls of the given owners and of their bots.
func (s store) Waiting(ctx context.Context, owners user.Set) (waiting, error) {
	var rows []struct {
		OwnerID, BotID user.ID
		Dropped        bool
		N              int
	}
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column("owner_id", "bot_id", "dropped").
		ColumnExpr("COUNT(*) AS n").
		Where("owner_id IN (?)", bun.List([]user.ID(owners))).
		Group("owner_id", "bot_id", "dropped").
		Scan(ctx, &rows)
	w := waiting{map[user.ID]int{}, map[user.ID]int{}, map[user.ID]bool{}}
	for _, r := range rows {
		if r.Dropped {
			w.notified[r.OwnerID] = true
			continue
		}
		w.owners[r.OwnerID] += r.N
		w.bots[r.BotID] += r.N
	}
	return w, err
}

// Add stores calls.
func (s store) Add(ctx context.Context, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// WithoutCall returns those of the bots that have no queued call for the message.
func (s store) WithoutCall(ctx context.Context, id message.ID, bots user.Set) (user.Set, error) {
	var waiting []user.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column("bot_id").
		Where("bot_id IN (?)", bun.List([]user.ID(bots))).
		Where("message_id = ?", id).
		Scan(ctx, &waiting)
	return bots.Minus(idset.Of(waiting...)), err
}

// worker is a node with the calls that it is making.
type worker struct {
	holder string
	making []int64
}

// Next returns the call that has been due longest, or nil. It skips calls that are being made, calls whose bot, owner
// or realm has reached its limit of those, and calls of the owners in except.
func (s store) Next(ctx context.Context, w worker, now time.Time, limit limits, except []user.ID) (*row, error) {
	db := s.db.From(ctx)
	var r row
	q := db.NewSelect().Model(&r).Where("c.due_at <= ?", now).Where(bunstore.Free("c.holder"), w.holder).
		Order("c.due_at", "c.id").Limit(1)
	if len(w.making) > 0 {
		q = q.Where("c.id NOT IN (?)", bun.List(w.making))
	}
	for _, of := range []struct {
		column string
		max    int
	}{{"bot_id", limit.bot}, {"owner_id", limit.owner}, {"realm_id", limit.realm}} {
		name := bun.Ident(of.column)
		q = q.Where(
			"c.? NOT IN (?)",
			name,
			db.NewSelect().Model((*row)(nil)).ModelTableExpr("outgoing_calls AS o").ColumnExpr("o.?", name).
				Where(bunstore.Held("o.holder")).Where("o.holder <> ? OR o.id IN (?)", w.holder, idList(w.making)).
				GroupExpr("o.?", name).Having("COUNT(*) >= ?", of.max),
		)
	}
	if len(except) > 0 {
		q = q.Where("c.owner_id NOT IN (?)", bun.List(except))
	}
	return bunstore.OrNil(&r, q.Scan(ctx))
}

// idList returns a list for IN, with an ID that no call has if ids is empty.
func idList(ids []int64) any {
	if len(ids) == 0 {
		return 0
	}
	return bun.List(ids)
}

// Claim assigns a call to a node. It returns false if another node or worker has claimed it.
func (s store) Claim(ctx context.Context, r *row, holder string, now time.Time) (bool, error) {
	return bunstore.Changed(
		s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("tries = tries + 1").Set("holder = ?", holder).
			Where("id = ?", r.ID).Where("tries = ?", r.Tries).Where("due_at <= ?", now).
			Where(bunstore.Free("holder"), holder).Exec(ctx),
	)
}

// Postpone releases a call claimed by this worker and makes it due at the given time.
func (s store) Postpone(ctx context.Context, r *row, at time.Time, tries int) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("tries = ?", tries).
		Set("holder = ''").
		Set("due_at = ?", at).
		Where("id = ?", r.ID).
		Where("tries = ?", r.Tries).
		Exec(ctx)
	return err
}

// Remove removes a call claimed by this worker from the queue. It returns false if another worker has claimed the call.
func (s store) Remove(ctx context.Context, r *row) (bool, error) {
	return bunstore.Changed(
		s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", r.ID).Where("tries = ?", r.Tries).Exec(ctx),
	)
}

// AddNotice records that a bot's owner is notified now. It returns false if the owner was already notified after since.
func (s store) AddNotice(ctx context.Context, b user.ID, now, since time.Time) (bool, error) {
	return bunstore.Changed(
		s.db.From(ctx).NewInsert().Model(&failure{BotID: b, ToldAt: now}).On("CONFLICT (bot_id) DO UPDATE").
			Set("told_at = EXCLUDED.told_at").Where("f.told_at <= ?", since).Exec(ctx),
	)
}
