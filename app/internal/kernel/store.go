package kernel

import (
	"context"
	"fmt"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct {
	db    *bunstore.DB
	slots directory.Slots // for the changes of entries; complete once modules are collected
}

// headSQL selects the position of the last entry; no row if the log is empty. max(seq) would do too, but PostgreSQL
// takes twice as long to plan it.
func headSQL(r realm.ID) string {
	return fmt.Sprintf("SELECT seq FROM realm_events WHERE realm_id = %d ORDER BY seq DESC LIMIT 1", r)
}

// head is the head of one realm's log.
type head struct {
	Realm    realm.ID
	Seq      event.Seq
	Epoch    int64
	Trimmed  event.Seq
	Timeline string
}

// heads returns the heads of realms in one statement.
func (s store) heads(ctx context.Context, rs []realm.ID) ([]head, error) {
	values := make([]string, len(rs))
	for i, r := range rs {
		values[i] = fmt.Sprintf("(%d)", r)
	}
	var out []head
	err := s.db.From(ctx).NewRaw(`WITH r(id) AS (VALUES `+strings.Join(values, ", ")+`)
		SELECT r.id AS realm, coalesce((SELECT max(e.seq) FROM realm_events e WHERE e.realm_id = r.id), 0) AS seq,
			coalesce(l.epoch, 0) AS epoch, coalesce(l.trimmed_seq, 0) AS trimmed, coalesce(l.timeline, '') AS timeline
		FROM r LEFT JOIN realm_logs l ON l.realm_id = r.id`).Scan(ctx, &out)
	return out, err
}

// between returns up to limit entries with after < seq <= upto, oldest first.
func (s store) between(ctx context.Context, r realm.ID, after, upto event.Seq, limit int) ([]event.Entry, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).
		Where("realm_id = ? AND seq > ? AND seq <= ?", r, after, upto).Order("seq").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	return entries(rows, s.slots)
}

// access returns the number and changes of entries with after < seq <= upto that change shared facts, newest first.
func (s store) access(ctx context.Context, r realm.ID, after, upto event.Seq) ([]event.Entry, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("realm_id", "seq", "changes").
		Where("realm_id = ? AND seq > ? AND seq <= ? AND access", r, after, upto).OrderExpr("seq DESC").Scan(ctx)
	if err != nil {
		return nil, err
	}
	return entries(rows, s.slots)
}

// fenced reports whether shared facts changed in (after, upto].
func (s store) fenced(ctx context.Context, r realm.ID, after, upto event.Seq) (bool, error) {
	n, err := s.db.From(ctx).NewSelect().Model((*row)(nil)).
		Where("realm_id = ? AND seq > ? AND seq <= ? AND access", r, after, upto).Count(ctx)
	return n > 0, err
}

// insert returns the statement that inserts rows.
func (s store) insert(rows []row) (string, error) {
	return bunstore.InsertText(s.db, rows)
}

// wrote reports whether the transaction with the given origin wrote an entry after a position.
func (s store) wrote(ctx context.Context, r realm.ID, after event.Seq, origin []byte) (bool, error) {
	n, err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Where("realm_id = ? AND seq > ? AND origin = ?", r, after, origin).
		Count(ctx)
	return n > 0, err
}
