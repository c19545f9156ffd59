package kernel

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// gap returns the number of the first entry that is missing from a log, or 0.
func (s store) gap(ctx context.Context, r realm.ID) (event.Seq, error) {
	var found struct{ N, First, Last, Trimmed event.Seq }
	err := s.db.From(ctx).NewRaw(`SELECT count(*) AS n, coalesce(min(seq), 0) AS first, coalesce(max(seq), 0) AS last,
			coalesce((SELECT trimmed_seq FROM realm_logs WHERE realm_id = ?0), 0) AS trimmed
		FROM realm_events WHERE realm_id = ?0`, r).Scan(ctx, &found)
	switch {
	case err != nil || found.N == 0:
		return 0, err
	case found.First > found.Trimmed+1:
		return found.First - 1, nil
	case found.Last-found.First+1 == found.N:
		return 0, nil
	}
	var before event.Seq
	err = s.db.From(ctx).NewRaw(`SELECT min(e.seq) FROM realm_events e WHERE e.realm_id = ?0 AND NOT EXISTS (
		SELECT 1 FROM realm_events n WHERE n.realm_id = ?0 AND n.seq = e.seq + 1)`, r).Scan(ctx, &before)
	return before + 1, bunstore.IgnoreNoRows(err)
}

// rowsAfter returns at most limit entries after a number, not decoded, oldest first.
func (s store) rowsAfter(ctx context.Context, r realm.ID, after event.Seq, limit int) ([]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ? AND seq > ?", r, after).Order("seq").
		Limit(int64(limit)).Scan(ctx)
	return rows, err
}
