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
	slots directory.Slots // decodes the changes in entries; complete once all modules are collected

	refuse func(*newerError) // called when an entry cannot be read
}

// headSQL selects the position of the last entry, or no row if the log is empty. max(seq) would do as well, but
// PostgreSQL takes twice as long to plan it.
func headSQL(r realm.ID) string {
	return fmt.Sprintf("SELECT seq FROM realm_events WHERE realm_id = %d ORDER BY seq DESC LIMIT 1", r)
}

// head describes the end of a realm's log.
type head struct {
	Realm    realm.ID
	Seq      event.Seq
	Epoch    int64
	Trimmed  event.Seq
	Timeline string
}

// heads returns the heads of the given realms with a single statement.
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
	return s.entries(rows)
}

// factEntries returns the entries with after < seq <= upto that change shared facts, newest first, with only number,
// changes and format.
func (s store) factEntries(ctx context.Context, r realm.ID, after, upto event.Seq) ([]event.Entry, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("realm_id", "seq", "changes", "format").
		Where("realm_id = ? AND seq > ? AND seq <= ? AND access", r, after, upto).OrderExpr("seq DESC").Scan(ctx)
	if err != nil {
		return nil, err
	}
	return s.entries(rows)
}

// factsChanged reports whether shared facts have changed in (after, upto].
func (s store) factsChanged(ctx context.Context, r realm.ID, after, upto event.Seq) (bool, error) {
	n, err := s.db.From(ctx).NewSelect().Model((*row)(nil)).
		Where("realm_id = ? AND seq > ? AND seq <= ? AND access", r, after, upto).Count(ctx)
	return n > 0, err
}

// insert returns the statement that inserts rows into the log.
func (s store) insert(rows []row) (string, error) {
	return bunstore.InsertText(s.db, rows)
}

// hasOrigin reports whether the transaction with the given origin has written an entry after the given position.
func (s store) hasOrigin(ctx context.Context, r realm.ID, after event.Seq, origin []byte) (bool, error) {
	n, err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Where("realm_id = ? AND seq > ? AND origin = ?", r, after, origin).
		Count(ctx)
	return n > 0, err
}
