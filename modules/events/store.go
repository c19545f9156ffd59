package events

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// row is a stored queue.
type row struct {
	bun.BaseModel `bun:"table:event_queues"`
	ID            string `bun:",pk"`
	RealmID       realm.ID
	Epoch         int64
	UserID        user.ID `person:"row"`
	Spec          string  // JSON
	StartSeq      event.Seq
	AckedSeq      event.Seq
	SeenAt        time.Time
	IdleS         int64 `bun:"idle_s"`
	ExpiresAt     time.Time
}

// progress holds the fields of a queue that are saved periodically.
type progress struct {
	ID        string
	AckedSeq  event.Seq
	SeenAt    time.Time
	ExpiresAt time.Time
}

// rows accesses the table of queues.
type rows interface {
	// Insert adds queues, in a transaction.
	Insert(ctx context.Context, all []*row) error
	// Surplus deletes all but the keep most recently polled queues of each user, in a transaction, and returns the
	// deleted IDs.
	Surplus(ctx context.Context, r realm.ID, us []user.ID, keep int) ([]string, error)
	// Find returns a queue, or nil.
	Find(ctx context.Context, r realm.ID, id string) (*row, error)
	// Save stores the queues' progress, in a transaction, and returns the IDs of the queues that still exist.
	Save(ctx context.Context, all []progress) ([]string, error)
	// Remove deletes a queue, in a transaction.
	Remove(ctx context.Context, r realm.ID, id string) error
	// Idle deletes the given queues unless they have been polled since the given time, in a transaction.
	Idle(ctx context.Context, ids []string, since time.Time) error
	// RemoveOf deletes a user's queues, in a transaction.
	RemoveOf(ctx context.Context, r realm.ID, u user.ID) error
	// RemoveAll deletes a realm's queues, in a transaction.
	RemoveAll(ctx context.Context, r realm.ID) error
	// Live returns the users' queues that have not expired.
	Live(ctx context.Context, r realm.ID, us []user.ID, now time.Time) ([]row, error)
	// All returns at most limit queues of a realm, those polled last first; of one user unless of is 0, and with one ID
	// unless id is "".
	All(ctx context.Context, r realm.ID, of user.ID, id string, limit int) ([]row, error)
	// RemoveSome deletes queues, in a transaction.
	RemoveSome(ctx context.Context, r realm.ID, ids []string) error
	// Expired deletes all queues that have expired, in a transaction.
	Expired(ctx context.Context, now time.Time) error
}

type store struct{ db *bunstore.DB }

func (s store) Insert(ctx context.Context, all []*row) error {
	_, err := s.db.From(ctx).NewInsert().Model(&all).Exec(ctx)
	return err
}

func (s store) Surplus(ctx context.Context, r realm.ID, us []user.ID, keep int) ([]string, error) {
	db := s.db.From(ctx)
	ranked := db.NewSelect().Model((*row)(nil)).Column("id").
		ColumnExpr("ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY seen_at DESC, start_seq DESC) AS n").
		Where("realm_id = ?", r).Where("user_id IN (?)", bun.List(us))
	ids := []string{}
	err := db.NewDelete().
		Model((*row)(nil)).
		Where("id IN (?)", db.NewSelect().TableExpr("(?) AS ranked", ranked).Column("id").Where("n > ?", keep)).
		Returning("id").
		Scan(ctx, &ids)
	return ids, bunstore.IgnoreNoRows(err)
}

func (s store) Find(ctx context.Context, r realm.ID, id string) (*row, error) {
	q := new(row)
	return bunstore.OrNil(q, s.db.From(ctx).NewSelect().Model(q).Where("id = ?", id).Where("realm_id = ?", r).
		Scan(ctx))
}

func (s store) Save(ctx context.Context, all []progress) ([]string, error) {
	db := s.db.From(ctx)
	_, err := db.NewUpdate().With("saved", db.NewValues(&all)).Model((*row)(nil)).TableExpr("saved").
		Set("acked_seq = saved.acked_seq").Set("seen_at = saved.seen_at").Set("expires_at = saved.expires_at").
		Where("row.id = saved.id").Exec(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	var there []string
	err = db.NewSelect().Model((*row)(nil)).Column("id").Where("id IN (?)", bun.List(ids)).Scan(ctx, &there)
	return there, err
}

func (s store) Remove(ctx context.Context, r realm.ID, id string) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", id).Where("realm_id = ?", r).Exec(ctx)
	return err
}

func (s store) Idle(ctx context.Context, ids []string, since time.Time) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*row)(nil)).
		Where("id IN (?)", bun.List(ids)).
		Where("seen_at <= ?", since).
		Exec(ctx)
	return err
}

func (s store) RemoveOf(ctx context.Context, r realm.ID, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Where("user_id = ?", u).Exec(ctx)
	return err
}

func (s store) RemoveAll(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}

func (s store) Expired(ctx context.Context, now time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("expires_at < ?", now).Exec(ctx)
	return err
}

func (s store) Live(ctx context.Context, r realm.ID, us []user.ID, now time.Time) ([]row, error) {
	var all []row
	err := s.db.From(ctx).NewSelect().Model(&all).Column("user_id", "spec", "start_seq", "acked_seq").
		Where("realm_id = ?", r).Where("user_id IN (?)", bun.List(us)).Where("expires_at >= ?", now).Scan(ctx)
	return all, err
}

func (s store) All(ctx context.Context, r realm.ID, of user.ID, id string, limit int) ([]row, error) {
	all := []row{}
	q := s.db.From(ctx).NewSelect().Model(&all).Where("realm_id = ?", r).OrderExpr("seen_at DESC, id").Limit(int64(limit))
	if of != 0 {
		q.Where("user_id = ?", of)
	}
	if id != "" {
		q.Where("id = ?", id)
	}
	err := q.Scan(ctx)
	return all, err
}

func (s store) RemoveSome(ctx context.Context, r realm.ID, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Where("id IN (?)", bun.List(ids)).
		Exec(ctx)
	return err
}
