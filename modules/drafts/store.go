package drafts

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/draft"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:drafts,alias:d"`
	ID            draft.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	UserID        user.ID    `export:"yes,consent" person:"row"`
	Kind          draft.Kind `export:"yes"`
	Recipients    string     `export:"yes,json"` // JSON
	Topic         string     `export:"yes"`
	Content       string     `export:"yes"`
	EditedAt      time.Time  `export:"yes"`
}

func rowOf(d draft.Draft) (row, error) {
	to, err := json.Marshal(d.To)
	return row{ID: d.ID, Kind: d.Kind, Recipients: string(to), Topic: d.Topic, Content: d.Content, EditedAt: d.Edited}, err
}

// adapt translates the recipients of an imported draft.
func adapt(m importing.Mapping, r *row) (bool, error) {
	var to []int64
	if err := json.Unmarshal([]byte(r.Recipients), &to); err != nil {
		return false, err
	}
	table := "users"
	if r.Kind == draft.ToChannel {
		table = "channels"
	}
	text, err := json.Marshal(m.IDs(table, to))
	r.Recipients = string(text)
	return true, err
}

func draftsOf(rows []row) ([]draft.Draft, error) {
	out := make([]draft.Draft, len(rows))
	for i, r := range rows {
		out[i] = draft.Draft{ID: r.ID, Kind: r.Kind, Topic: r.Topic, Content: r.Content, Edited: r.EditedAt}
		if err := json.Unmarshal([]byte(r.Recipients), &out[i].To); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Of returns a user's drafts, least recently edited first. checkLimits bounds their number.
func (s store) Of(ctx context.Context, u user.ID) ([]draft.Draft, error) {
	var rows []row
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Order("edited_at",
		"id").Scan(ctx); err != nil {
		return nil, err
	}
	return draftsOf(rows)
}

// ByID returns the realm's existing drafts with these IDs.
func (s store) ByID(ctx context.Context, r realm.ID, ids []draft.ID) ([]draft.Draft, error) {
	var rows []row
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Where("id IN (?)", bun.List(ids)).
		Scan(ctx); err != nil {
		return nil, err
	}
	return draftsOf(rows)
}

// Usage returns the number and total size of a user's drafts, except one.
func (s store) Usage(ctx context.Context, u user.ID, without draft.ID) (draft.Total, error) {
	var k draft.Total
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).ColumnExpr("COUNT(*)").
		ColumnExpr("COALESCE(SUM(OCTET_LENGTH(content) + OCTET_LENGTH(topic)), 0)"). // OCTET_LENGTH avoids reading the values
		Where("user_id = ?", u).Where("id <> ?", without).Scan(ctx, &k.Drafts, &k.Bytes)
	return k, err
}

// Has reports whether a user has a draft.
func (s store) Has(ctx context.Context, r realm.ID, u user.ID, id draft.ID) (bool, error) {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("realm_id = ?", r).Where("user_id = ?", u).
		Where("id = ?", id).Exists(ctx)
}

// Insert stores new drafts and returns their IDs in the same order.
func (s store) Insert(ctx context.Context, r realm.ID, u user.ID, ds []draft.Draft) ([]draft.ID, error) {
	rows := make([]row, len(ds))
	for i, d := range ds {
		var err error
		if rows[i], err = rowOf(d); err != nil {
			return nil, err
		}
		rows[i].RealmID, rows[i].UserID = r, u
	}
	var ids []draft.ID
	err := s.db.From(ctx).NewInsert().Model(&rows).Returning("id").Scan(ctx, &ids)
	slices.Sort(ids) // assigned in row order, but returned in any order
	return ids, err
}

// Update stores a changed draft.
func (s store) Update(ctx context.Context, r realm.ID, d draft.Draft) error {
	changed, err := rowOf(d)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewUpdate().Model(&changed).Column("kind", "recipients", "topic", "content",
		"edited_at").WherePK().Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Delete deletes a user's draft and reports whether it existed.
func (s store) Delete(ctx context.Context, r realm.ID, u user.ID, id draft.ID) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Where("user_id = ?", u).
		Where("id = ?", id).Exec(ctx))
}

// Clear deletes all of a user's drafts.
func (s store) Clear(ctx context.Context, us ...user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id IN (?)", bun.List(us)).Exec(ctx)
	return err
}
