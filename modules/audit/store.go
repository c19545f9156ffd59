package audit

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// row is an entry. Its columns but the hash are what the hash covers, together with the former hash.
type row struct {
	bun.BaseModel  `bun:"table:audit,alias:a"`
	RealmID        realm.ID `bun:",pk"`
	Seq            int64    `bun:",pk"`
	At             int64    // Unix microseconds
	Action         audit.Action
	Outcome        string  // outcomeOK or outcomeRefused
	ActorKind      string  // user, operator or system
	ActorID        user.ID `person:"id"`
	TargetKind     audit.Kind
	Target         string
	OldValues      string     // a JSON object, or ""
	NewValues      string     // a JSON object, or ""
	SessionID      session.ID // 0: none
	APIKey         string     `bun:"api_key"` // the first digits of the key's hash; "": none
	Request        string     // the ID in the server's log
	Route          string
	SourceDigest   string // of the part "source"
	PersonalDigest string // of the part "values"; "": there is none
	Hash           string
}

// personalRow is a part of an entry that is not in the chain.
type personalRow struct {
	bun.BaseModel `bun:"table:audit_personal,alias:p"`
	RealmID       realm.ID `bun:",pk"`
	Seq           int64    `bun:",pk"`
	Part          string   `bun:",pk"`
	UserID        user.ID  `person:"row"` // whom the content is about; 0: nobody who has an account
	Salt          string
	Content       string // JSON
}

// headRow is the end and the beginning of a realm's chain.
type headRow struct {
	bun.BaseModel `bun:"table:audit_heads,alias:h"`
	RealmID       realm.ID `bun:",pk"`
	Seq           int64    // of the last entry
	Hash          string
	AnchorSeq     int64 // of the last entry that was deleted because of its age
	AnchorHash    string
}

// Reserve locks the realm's head, advances its number by n, and returns it with the former hash.
func (s store) Reserve(ctx context.Context, r realm.ID, n int) (headRow, error) {
	h := headRow{RealmID: r, Seq: int64(n)}
	_, err := s.db.From(ctx).NewInsert().Model(&h).On("CONFLICT (realm_id) DO UPDATE").Set("seq = h.seq + ?", n).
		Returning("seq, hash").Exec(ctx)
	return h, err
}

// Add stores entries with their parts, the last of which is the new head.
func (s store) Add(ctx context.Context, rows []*row, parts []*personalRow) error {
	if _, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx); err != nil {
		return err
	}
	if len(parts) > 0 {
		if _, err := s.db.From(ctx).NewInsert().Model(&parts).Exec(ctx); err != nil {
			return err
		}
	}
	last := rows[len(rows)-1]
	_, err := s.db.From(ctx).NewUpdate().Model((*headRow)(nil)).Set("hash = ?", last.Hash).
		Where("realm_id = ?", last.RealmID).Exec(ctx)
	return err
}

// Select returns the rows that a query selects.
func (s store) Select(ctx context.Context, q audit.Query) ([]*row, error) {
	var rows []*row
	sel := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", q.Realm).Limit(int64(q.Limit))
	if !q.Since.IsZero() {
		sel.Where("at >= ?", q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		sel.Where("at < ?", q.Until.UnixMicro())
	}
	switch {
	case strings.HasSuffix(q.Action, "."): // "/" follows "."
		sel.Where("action >= ? AND action < ?", q.Action, strings.TrimSuffix(q.Action, ".")+"/")
	case q.Action != "":
		sel.Where("action = ?", q.Action)
	}
	if q.Actor != 0 {
		sel.Where("actor_id = ?", q.Actor)
	}
	if q.TargetKind != "" {
		sel.Where("target_kind = ?", q.TargetKind)
	}
	if q.Target != "" {
		sel.Where("target = ?", q.Target)
	}
	if q.Before != 0 {
		sel.Where("seq < ?", q.Before).OrderExpr("seq DESC")
	} else {
		sel.Where("seq > ?", q.After).Order("seq")
	}
	return rows, sel.Scan(ctx)
}

// Following returns up to n rows after one.
func (s store) Following(ctx context.Context, r realm.ID, after int64, n int) ([]*row, error) {
	return s.Select(ctx, audit.Query{Realm: r, After: after, Limit: n})
}

// Parts returns the parts of entries by number.
func (s store) Parts(ctx context.Context, r realm.ID, of []*row) (map[int64][]personalRow, error) {
	numbers := make([]int64, len(of))
	for i, w := range of {
		numbers[i] = w.Seq
	}
	var parts []personalRow
	err := s.db.From(ctx).NewSelect().Model(&parts).Where("realm_id = ?", r).Where("seq IN (?)", bun.List(numbers)).
		Order("seq", "part").Scan(ctx)
	out := map[int64][]personalRow{}
	for _, p := range parts {
		out[p.Seq] = append(out[p.Seq], p)
	}
	return out, err
}

// EraseNaming deletes the parts that contain an address, given in lower case.
func (s store) EraseNaming(ctx context.Context, r realm.ID, address string) error {
	quoted, err := plainjson.Marshal(address)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewDelete().Model((*personalRow)(nil)).Where("realm_id = ?", r).
		Where("part = ?", partValues).
		Where("replace(lower(content), ?, '') <> lower(content)", string(quoted)).Exec(ctx)
	return err
}

// Head returns a realm's head, or nil if it has no entries.
func (s store) Head(ctx context.Context, r realm.ID) (*headRow, error) {
	var h headRow
	return bunstore.OrNil(&h, s.db.From(ctx).NewSelect().Model(&h).Where("realm_id = ?", r).Scan(ctx))
}

// Heads returns the heads of all realms.
func (s store) Heads(ctx context.Context) ([]headRow, error) {
	var all []headRow
	return all, s.db.From(ctx).NewSelect().Model(&all).Order("realm_id").Scan(ctx)
}

// LastBefore returns the number of the last entry of which all earlier ones are older than a time, or 0.
func (s store) LastBefore(ctx context.Context, h headRow, before int64) (int64, error) {
	kept := h.Seq + 1
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("seq").Where("realm_id = ?", h.RealmID).
		Where("at >= ?", before).Order("seq").Limit(1).Scan(ctx, &kept)
	return kept - 1, bunstore.IgnoreNoRows(err)
}

// DeleteThrough deletes the entries up to one, which becomes the anchor.
func (s store) DeleteThrough(ctx context.Context, r realm.ID, last int64) error {
	var anchor row
	err := s.db.From(ctx).NewSelect().Model(&anchor).Column("hash").Where("realm_id = ? AND seq = ?", r, last).Scan(ctx)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewUpdate().Model((*headRow)(nil)).Set("anchor_seq = ?", last).
		Set("anchor_hash = ?", anchor.Hash).Where("realm_id = ?", r).Exec(ctx)
	if err != nil {
		return err
	}
	for _, table := range []any{(*row)(nil), (*personalRow)(nil)} {
		_, err := s.db.From(ctx).NewDelete().Model(table).Where("realm_id = ? AND seq <= ?", r, last).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
