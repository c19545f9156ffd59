package audit

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
)

// sinkRow is the position of a sink in a realm's log.
type sinkRow struct {
	bun.BaseModel `bun:"table:audit_sinks"`
	Sink          string   `bun:",pk"`
	RealmID       realm.ID `bun:",pk"`
	Seq           int64    // of the last entry that it has accepted
}

// position is where a sink is in a realm's log.
type position struct {
	RealmID              realm.ID
	Seq, AnchorSeq, Head int64
}

// waiting returns a query for 0 if entries wait to be sent to a sink, and for NULL otherwise. The name is a constant.
func waiting(name string) string {
	return "SELECT min(0) FROM audit_heads h LEFT JOIN audit_sinks s ON s.realm_id = h.realm_id AND s.sink = '" + name +
		"' WHERE h.seq > coalesce(s.seq, 0)"
}

// Positions returns where a sink is in the logs that contain entries for it.
func (s store) Positions(ctx context.Context, name string) ([]position, error) {
	var all []position
	err := s.db.From(ctx).NewRaw(`SELECT h.realm_id, coalesce(s.seq, 0) AS seq, h.anchor_seq, h.seq AS head
		FROM audit_heads h LEFT JOIN audit_sinks s ON s.realm_id = h.realm_id AND s.sink = ?
		WHERE h.seq > coalesce(s.seq, 0) ORDER BY h.realm_id`, name).Scan(ctx, &all)
	return all, err
}

// Waiting returns how many entries wait to be sent to a sink.
func (s store) Waiting(ctx context.Context, name string) (int64, error) {
	var n int64
	err := s.db.From(ctx).NewRaw(`SELECT CAST(coalesce(sum(h.seq - coalesce(s.seq, 0)), 0) AS bigint)
		FROM audit_heads h LEFT JOIN audit_sinks s ON s.realm_id = h.realm_id AND s.sink = ?`, name).Scan(ctx, &n)
	return n, err
}

// Advance stores the position of a sink.
func (s store) Advance(ctx context.Context, name string, p position) error {
	_, err := s.db.From(ctx).NewInsert().Model(&sinkRow{Sink: name, RealmID: p.RealmID, Seq: p.Seq}).
		On("CONFLICT (sink, realm_id) DO UPDATE").Set("seq = EXCLUDED.seq").Exec(ctx)
	return err
}
