package exports

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// store accesses the tables.
type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:exports,alias:e"`
	ID            export.ID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"id"`
	Type          export.Type
	URL           string `bun:"url"`
	Token         string
	State         export.State
	RequestedAt   time.Time
	EndedAt       *time.Time
	DeletedAt     *time.Time
	Parts         int64
	Bytes         int64
	Position      string
	Tries         int64
	DueAt         time.Time
	Holder        string // the node that writes the next part; "" if none does
}

func (r *row) export() export.Export {
	e := export.Export{
		ID: r.ID, Realm: r.RealmID, By: r.UserID, Type: r.Type, URL: r.URL, Token: r.Token,
		RequestedAt: r.RequestedAt, State: r.State,
		Size: r.Bytes,
	}
	if r.EndedAt != nil {
		e.EndedAt = *r.EndedAt
	}
	if r.DeletedAt != nil {
		e.DeletedAt = *r.DeletedAt
	}
	return e
}

// maxListed is the maximum number of exports listed: several years at the maximum rate.
const maxListed = 1000

// Insert stores a new export, due immediately, and returns its ID.
func (s store) Insert(ctx context.Context, e *export.Export) (export.ID, error) {
	r := row{
		RealmID: e.Realm, UserID: e.By, Type: e.Type, URL: e.URL, Token: e.Token, State: export.Pending,
		RequestedAt: e.RequestedAt,
		Position:    "{}", DueAt: e.RequestedAt,
	}
	err := s.db.From(ctx).NewInsert().Model(&r).ExcludeColumn("id").Returning("id").Scan(ctx, &r.ID)
	return r.ID, err
}

// Of returns the newest exports of a realm, at most maxListed, oldest first.
func (s store) Of(ctx context.Context, r realm.ID) ([]export.Export, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Order("id DESC").Limit(maxListed).Scan(ctx)
	out := make([]export.Export, len(rows))
	for i := range rows {
		out[len(rows)-1-i] = rows[i].export()
	}
	return out, err
}

// Since returns the number of a realm's exports requested since at.
func (s store) Since(ctx context.Context, r realm.ID, at time.Time) (int64, error) {
	return s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Where("realm_id = ?", r).
		Where("requested_at > ?", at).
		Count(ctx)
}

// Get returns an export of a realm, or nil.
func (s store) Get(ctx context.Context, r realm.ID, id export.ID) (*export.Export, error) {
	return s.one(ctx, s.db.From(ctx).NewSelect().Where("id = ?", id).Where("realm_id = ?", r))
}

// ByToken returns the export of a realm with the given token, or nil.
func (s store) ByToken(ctx context.Context, r realm.ID, token string) (*export.Export, error) {
	return s.one(ctx, s.db.From(ctx).NewSelect().Where("realm_id = ?", r).Where("token = ?", token))
}

func (s store) one(ctx context.Context, q *bun.SelectQuery) (*export.Export, error) {
	var rows []row
	if err := q.Model(&rows).Limit(1).Scan(ctx); err != nil || len(rows) == 0 {
		return nil, err
	}
	e := rows[0].export()
	return &e, nil
}

// earliest selects when the first pending export is due.
const earliest = "SELECT min(due_at) FROM exports WHERE state = 0"

// Due returns the pending export that has been due longest, or nil if none is due.
func (s store) Due(ctx context.Context, now time.Time) (*row, error) {
	var rows []row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Where("state = 0").
		Where("due_at <= ?", now).
		Order("due_at", "id").
		Limit(1).
		Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// Expired returns at most limit complete exports that ended before the given time.
func (s store) Expired(ctx context.Context, before time.Time, limit int64) ([]export.Export, error) {
	var rows []row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Where("state = 1").
		Where("ended_at < ?", before).
		Order("ended_at").
		Limit(limit).
		Scan(ctx)
	out := make([]export.Export, len(rows))
	for i := range rows {
		out[i] = rows[i].export()
	}
	return out, err
}

// BeginAttempt records an attempt to write the next part, and when to retry if it fails. It reports false if the export
// has changed since r was read.
func (s store) BeginAttempt(ctx context.Context, r *row, holder string, again time.Time) (bool, error) {
	return bunstore.Changed(s.pending(ctx, r).Set("tries = ?", r.Tries+1).Set("due_at = ?", again).
		Set("holder = ?", holder).
		Exec(ctx))
}

// Release ends an attempt that has failed. The next one is made when the export is due.
func (s store) Release(ctx context.Context, r *row, holder string) error {
	_, err := s.pending(ctx, r).Set("holder = ''").Where("holder = ?", holder).Exec(ctx)
	return err
}

// Advance records a written part and where the next one begins. It reports false if the export has changed since r was
// read.
func (s store) Advance(ctx context.Context, r *row, p part, a *archive, now time.Time) (bool, error) {
	text, err := json.Marshal(a.at)
	if err != nil {
		return false, err
	}
	q := s.pending(ctx, r).Set("parts = parts + 1").Set("bytes = bytes + ?", p.Size).Set("position = ?", string(text)).
		Set("tries = 0").Set("due_at = ?", now).Set("holder = ''")
	if a.complete {
		q = q.Set("state = ?", export.Complete).Set("ended_at = ?", now)
	}
	if ours, err := bunstore.Changed(q.Exec(ctx)); err != nil || !ours {
		return false, err
	}
	return bunstore.Changed(
		s.db.From(ctx).
			NewUpdate().
			Model((*partRow)(nil)).
			Set("size = ?", p.Size).
			Where("key = ?", p.Key).
			Where("NOT doomed").
			Exec(ctx),
	)
}

// Fail marks an export as failed and schedules the removal of its parts. It reports false if the export has changed
// since r was read.
func (s store) Fail(ctx context.Context, r *row, now time.Time) (bool, error) {
	ours, err := bunstore.Changed(s.pending(ctx, r).Set("state = ?", export.Failed).Set("ended_at = ?", now).
		Set("holder = ''").
		Exec(ctx))
	if err != nil || !ours {
		return ours, err
	}
	return true, s.ScheduleRemoval(ctx, r.ID, 0)
}

func (s store) pending(ctx context.Context, r *row) *bun.UpdateQuery {
	return s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Where("id = ?", r.ID).
		Where("state = 0").
		Where("parts = ?", r.Parts)
}

// Discard marks an export as deleted and schedules the removal of its parts.
func (s store) Discard(ctx context.Context, id export.ID, now time.Time) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("state = ?", export.Deleted).
		Set("deleted_at = ?", now).
		Where("id = ?", id).
		Exec(ctx)
	if err != nil {
		return err
	}
	return s.ScheduleRemoval(ctx, id, 0)
}

// Forget deletes a realm's exports, so that no more parts are written.
func (s store) Forget(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}
