package kernel

import (
	"context"
	"fmt"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// store reads and writes the log.
type store struct{ db *bunstore.DB }

// headSQL selects the position of the last entry; no row when there is none. max(seq) says the same, but PostgreSQL
// plans it twice as long.
func headSQL(r realm.ID) string {
	return fmt.Sprintf("SELECT seq FROM realm_events WHERE realm_id = %d ORDER BY seq DESC LIMIT 1", r)
}

// head is where one realm's log stands.
type head struct {
	Realm    realm.ID
	Seq      event.Seq
	Epoch    int64
	Trimmed  event.Seq
	Timeline string
}

// heads gives the heads of realms in one statement.
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

// between gives the entries with after < seq <= upto, oldest first, at most limit.
func (s store) between(ctx context.Context, r realm.ID, after, upto event.Seq, limit int) ([]event.Entry, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).
		Where("realm_id = ? AND seq > ? AND seq <= ?", r, after, upto).Order("seq").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	return entries(rows)
}

// access gives number and changes of the entries with after < seq <= upto that change shared facts, newest first.
func (s store) access(ctx context.Context, r realm.ID, after, upto event.Seq) ([]event.Entry, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("realm_id", "seq", "changes").
		Where("realm_id = ? AND seq > ? AND seq <= ? AND access", r, after, upto).OrderExpr("seq DESC").Scan(ctx)
	if err != nil {
		return nil, err
	}
	return entries(rows)
}

// fenced tells whether shared facts changed in (after, upto].
func (s store) fenced(ctx context.Context, r realm.ID, after, upto event.Seq) (bool, error) {
	n, err := s.db.From(ctx).NewSelect().Model((*row)(nil)).
		Where("realm_id = ? AND seq > ? AND seq <= ? AND access", r, after, upto).Count(ctx)
	return n > 0, err
}

// insert gives the statement that writes rows.
func (s store) insert(rows []row) (string, error) {
	return s.db.Text(s.db.From(context.Background()).NewInsert().Model(&rows))
}

// wrote tells whether the transaction named origin wrote an entry after a position.
func (s store) wrote(ctx context.Context, r realm.ID, after event.Seq, origin []byte) (bool, error) {
	n, err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Where("realm_id = ? AND seq > ? AND origin = ?", r, after, origin).
		Count(ctx)
	return n > 0, err
}
