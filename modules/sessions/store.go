package sessions

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`
	ID            session.ID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Hash          string
	Agent         string
	CreatedAt     int64
	UsedAt        int64
	EndsAt        int64
	LimitAt       int64 // after which it is not extended; 0: as the organization's settings say
}

func (r *row) session() *session.Session {
	return &session.Session{ID: r.ID, User: r.UserID, Hash: r.Hash, Ends: r.EndsAt}
}

// chunk is the maximum number of rows that one statement reads or changes.
const chunk = 1000

// Each calls do for each session of a realm.
func (s store) Each(ctx context.Context, r realm.ID, do func(*row)) error {
	for last := session.ID(0); ; {
		var rows []*row
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("realm_id = ?", r).
			Where("id > ?", last).
			Order("id").
			Limit(chunk).
			Scan(ctx)
		for _, one := range rows {
			do(one)
		}
		if err != nil || len(rows) < chunk {
			return err
		}
		last = rows[len(rows)-1].ID
	}
}

// Of returns the sessions of a user, oldest first. The configuration limits their number.
func (s store) Of(ctx context.Context, u user.ID) ([]*row, error) {
	var rows []*row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Order("id").Scan(ctx)
	return rows, err
}

// Expired returns up to chunk expired sessions.
func (s store) Expired(ctx context.Context, now time.Time) ([]*row, error) {
	var rows []*row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Where("ends_at <= ?", now.Unix()).
		Order("ends_at", "id").
		Limit(chunk).
		Scan(ctx)
	return rows, err
}

// ByID returns the sessions with the given IDs. Missing sessions are omitted.
func (s store) ByID(ctx context.Context, ids []session.ID) ([]*row, error) {
	var rows []*row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).Order("id").Scan(ctx)
	return rows, err
}

// Last returns the ID of the newest session of a realm, or 0.
func (s store) Last(ctx context.Context, r realm.ID) (session.ID, error) {
	var id session.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		ColumnExpr("COALESCE(MAX(id), 0)").
		Where("realm_id = ?", r).
		Scan(ctx, &id)
	return id, err
}

// Insert stores a new session and sets its ID.
func (s store) Insert(ctx context.Context, one *row) error {
	_, err := s.db.From(ctx).NewInsert().Model(one).Returning("id").Exec(ctx)
	return err
}

// Delete deletes sessions.
func (s store) Delete(ctx context.Context, ids []session.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// DeleteInRealm deletes all sessions and tokens of a realm.
func (s store) DeleteInRealm(ctx context.Context, r realm.ID) error {
	if _, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewDelete().Model((*token)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// SetUsed stores when sessions were last used.
func (s store) SetUsed(ctx context.Context, ids []session.ID, now time.Time) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("used_at = ?", now.Unix()).
		Where("id IN (?)", bun.List(ids)).
		Exec(ctx)
	return err
}

// SetEnds stores when a session ends.
func (s store) SetEnds(ctx context.Context, one *row) error {
	_, err := s.db.From(ctx).NewUpdate().Model(one).Column("ends_at").WherePK().
		Where("realm_id = ?", one.RealmID).Exec(ctx)
	return err
}

type token struct {
	bun.BaseModel `bun:"table:login_tokens,alias:t"`
	Hash          string `bun:",pk"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Next          string
	EndsAt        int64
	LimitAt       int64 // of the session; see row
}

// AddToken stores a login token.
func (s store) AddToken(ctx context.Context, t *token) error {
	_, err := s.db.From(ctx).NewInsert().Model(t).Exec(ctx)
	return err
}

// TakeToken deletes a valid token and returns it. It returns nil if the token does not exist or has expired.
func (s store) TakeToken(ctx context.Context, r realm.ID, hash string, now time.Time) (*token, error) {
	var t token
	found, err := bunstore.Found(s.db.From(ctx).
		NewSelect().
		Model(&t).
		Where("hash = ?", hash).
		Where("realm_id = ?", r).
		Where("ends_at > ?", now.UnixMilli()).
		Scan(ctx))
	if !found {
		return nil, err
	}
	n, err := bunstore.Affected(s.db.From(ctx).NewDelete().Model((*token)(nil)).Where("hash = ?", hash).Exec(ctx))
	if n == 0 || err != nil { // another request has taken it
		return nil, err
	}
	return &t, nil
}

// DeleteExpiredTokens deletes expired tokens.
func (s store) DeleteExpiredTokens(ctx context.Context, now time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*token)(nil)).Where("ends_at <= ?", now.UnixMilli()).Exec(ctx)
	return err
}
