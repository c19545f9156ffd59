package kernel

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

func (s store) setEpoch(ctx context.Context, r realm.ID, old int64) error {
	_, err := s.db.From(ctx).NewRaw(`INSERT INTO realm_logs (realm_id, epoch, trimmed_seq, timeline) VALUES (?, ?, 0, '')
		ON CONFLICT (realm_id) DO UPDATE SET epoch = ? WHERE realm_logs.epoch = ?`, r, old+1, old+1, old).Exec(ctx)
	return err
}

// restored sets a realm's epoch to the given one, or to the next one if that is higher.
func (s store) restored(ctx context.Context, r realm.ID, epoch int64) error {
	_, err := s.db.From(ctx).NewRaw(`INSERT INTO realm_logs (realm_id, epoch, trimmed_seq, timeline) VALUES (?, ?, 0, '')
		ON CONFLICT (realm_id) DO UPDATE SET timeline = '', epoch = CASE WHEN realm_logs.epoch >= excluded.epoch
			THEN realm_logs.epoch + 1 ELSE excluded.epoch END`, r, epoch).Exec(ctx)
	return err
}

func (s store) setTimeline(ctx context.Context, r realm.ID, timeline string) error {
	_, err := s.db.From(ctx).NewRaw(`INSERT INTO realm_logs (realm_id, epoch, trimmed_seq, timeline) VALUES (?, 0, 0, ?)
		ON CONFLICT (realm_id) DO UPDATE SET timeline = excluded.timeline`, r, timeline).Exec(ctx)
	return err
}

// realms returns the realms that have a log. It skips through the primary key instead of reading every row.
func (s store) realms(ctx context.Context) ([]realm.ID, error) {
	var rs []realm.ID
	err := s.db.From(ctx).NewRaw(`WITH RECURSIVE r(id) AS (
			SELECT min(realm_id) FROM realm_events
			UNION ALL SELECT (SELECT min(e.realm_id) FROM realm_events e WHERE e.realm_id > r.id) FROM r WHERE r.id IS NOT NULL)
		SELECT id FROM r WHERE id IS NOT NULL`).Scan(ctx, &rs)
	return rs, err
}

// stamp holds an entry's number and time.
type stamp struct {
	Seq event.Seq
	At  time.Time
}

// oldest returns the oldest entries, up to limit, oldest first.
func (s store) oldest(ctx context.Context, r realm.ID, limit int) ([]stamp, error) {
	var out []stamp
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("seq", "at").Where("realm_id = ?", r).
		Order("seq").Limit(int64(limit)).Scan(ctx, &out)
	return out, err
}

// consumed returns the position of the slowest consumer, or false if there are no consumers.
func (s store) consumed(ctx context.Context, r realm.ID) (event.Seq, bool, error) {
	var seq *event.Seq
	err := s.db.From(ctx).NewRaw("SELECT min(seq) FROM log_consumers WHERE realm_id = ?", r).Scan(ctx, &seq)
	if err != nil || seq == nil {
		return 0, false, err
	}
	return *seq, true, nil
}

// trim deletes the entries up to and including seq, and records that position.
func (s store) trim(ctx context.Context, r realm.ID, seq event.Seq) error {
	if _, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ? AND seq <= ?", r,
		seq).Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewRaw(`INSERT INTO realm_logs (realm_id, epoch, trimmed_seq, timeline) VALUES (?, 0, ?, '')
		ON CONFLICT (realm_id) DO UPDATE SET trimmed_seq = excluded.trimmed_seq
		WHERE realm_logs.trimmed_seq < excluded.trimmed_seq`, r, seq).Exec(ctx)
	return err
}

// forget deletes a realm's log and everything recorded about it.
func (s store) forget(ctx context.Context, r realm.ID) error {
	for _, table := range []string{"realm_events", "log_consumers", "realm_logs"} {
		if _, err := s.db.From(ctx).NewDelete().Table(table).Where("realm_id = ?", r).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
