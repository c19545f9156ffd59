package identities

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// chunk is how many users a statement names.
const chunk = 1000

// identityID identifies the connection of an account to an identity.
type identityID int64

type identity struct {
	bun.BaseModel `bun:"table:external_identities,alias:i"`
	ID            identityID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	UserID        user.ID   `export:"yes,consent" person:"row"`
	Provider      string    `export:"yes"`
	Subject       string    `export:"yes"`
	Email         string    `export:"yes" person:"address"`
	CreatedAt     time.Time `export:"yes"`
	UsedAt        time.Time `export:"yes"`
}

// BySubject returns the connection of an identity, or nil.
func (s store) BySubject(ctx context.Context, r realm.ID, provider, subject string) (*identity, error) {
	var one identity
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).Where("realm_id = ?", r).
		Where("provider = ?", provider).Where("subject = ?", subject).Scan(ctx))
	if !found {
		return nil, err
	}
	return &one, nil
}

// Of returns the identities of a user; at most one of each provider.
func (s store) Of(ctx context.Context, u user.ID) ([]identity, error) {
	all := []identity{}
	err := s.db.From(ctx).NewSelect().Model(&all).Where("user_id = ?", u).Order("id").Scan(ctx)
	return all, err
}

// ProvidersOf returns the providers that any of some users are connected to.
func (s store) ProvidersOf(ctx context.Context, us ...user.ID) ([]string, error) {
	var all []string
	for some := range slices.Chunk(us, chunk) {
		err := s.db.From(ctx).NewSelect().Model((*identity)(nil)).Distinct().Column("provider").
			Where("user_id IN (?)", bun.List(some)).Order("provider").Scan(ctx, &all)
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// At returns the accounts that are connected to a provider, ordered by user.
func (s store) At(ctx context.Context, r realm.ID, provider string) ([]signin.Connection, error) {
	var all []identity
	err := s.db.From(ctx).NewSelect().Model(&all).Column("user_id", "subject").Where("realm_id = ?", r).
		Where("provider = ?", provider).Order("user_id").Scan(ctx)
	out := make([]signin.Connection, len(all))
	for i, one := range all {
		out[i] = signin.Connection{User: one.UserID, Subject: one.Subject}
	}
	return out, err
}

// Add stores a new connection.
func (s store) Add(ctx context.Context, one *identity) error {
	_, err := s.db.From(ctx).NewInsert().Model(one).Returning("id").Exec(ctx)
	return err
}

// Used stores when an identity was used.
func (s store) Used(ctx context.Context, id identityID, now time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*identity)(nil)).Set("used_at = ?", now).Where("id = ?", id).Exec(ctx)
	return err
}

// Remove deletes connections of a user; 0 all of them.
func (s store) Remove(ctx context.Context, u user.ID, id identityID) error {
	q := s.db.From(ctx).NewDelete().Model((*identity)(nil)).Where("user_id = ?", u)
	if id != 0 {
		q = q.Where("id = ?", id)
	}
	_, err := q.Exec(ctx)
	return err
}

type flow struct {
	bun.BaseModel `bun:"table:signin_flows,alias:f"`
	Hash          string `bun:",pk"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Provider      string
	Intent        signin.Intent
	Browser       string
	Next          string
	Mobile        string
	Desktop       string
	Nonce         string
	Verifier      string
	Identity      string
	Tries         int
	EndsAt        int64
}

// started returns the flow as its provider's module knows it.
func (f *flow) started(state string) signin.Started {
	return signin.Started{State: state, Nonce: f.Nonce, Verifier: f.Verifier, Intent: f.Intent, User: f.UserID,
		Flow: f.flow()}
}

func (f *flow) flow() signin.Flow {
	return signin.Flow{Next: f.Next, Mobile: unhex(f.Mobile), Desktop: unhex(f.Desktop)}
}

// pending returns what the provider has verified.
func (f *flow) pending() (pending, error) {
	var p pending
	err := json.Unmarshal([]byte(f.Identity), &p)
	return p, err
}

// unhex decodes a stored pad; nil if there is none.
func unhex(s string) signin.OTP {
	pad, err := hex.DecodeString(s)
	if err != nil || len(pad) == 0 {
		return nil
	}
	return pad
}

// AddFlow stores a new flow.
func (s store) AddFlow(ctx context.Context, f *flow) error {
	_, err := s.db.From(ctx).NewInsert().Model(f).Exec(ctx)
	return err
}

// Flow returns a flow that has not expired, or nil.
func (s store) Flow(ctx context.Context, r realm.ID, hash string, now time.Time) (*flow, error) {
	var f flow
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&f).Where("hash = ?", hash).Where("realm_id = ?", r).
		Where("ends_at > ?", now.UnixMilli()).Scan(ctx))
	if !found {
		return nil, err
	}
	return &f, nil
}

// TakeFlow deletes a flow, and reports whether it existed.
func (s store) TakeFlow(ctx context.Context, hash string) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewDelete().Model((*flow)(nil)).Where("hash = ?", hash).Exec(ctx))
	return n > 0, err
}

// Try counts one more password, unless most have been tried, and reports whether it did.
func (s store) Try(ctx context.Context, hash string, most int) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewUpdate().Model((*flow)(nil)).Set("tries = tries + 1").
		Where("hash = ?", hash).Where("tries < ?", most).Exec(ctx))
	return n > 0, err
}

// ForgetFlows deletes expired flows.
func (s store) ForgetFlows(ctx context.Context, now time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*flow)(nil)).Where("ends_at <= ?", now.UnixMilli()).Exec(ctx)
	return err
}

// begun is a session that began at a provider.
type begun struct {
	bun.BaseModel `bun:"table:identity_sessions,alias:b"`
	SessionID     session.ID `bun:",pk"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Provider      string
	Subject       string
	SID           string `bun:"sid"`
}

// AddSession stores that a session began at a provider.
func (s store) AddSession(ctx context.Context, b *begun) error {
	_, err := s.db.From(ctx).NewInsert().Model(b).Exec(ctx)
	return err
}

// maxSessions exceeds the number of sessions that the module sessions lets a user have.
const maxSessions = 1000

// Sessions returns the sessions that began with an identity; sid restricts them to those of one session at the
// provider, which suffices without a subject.
func (s store) Sessions(ctx context.Context, r realm.ID, provider, subject, sid string) ([]session.ID, error) {
	ids := []session.ID{}
	q := s.db.From(ctx).NewSelect().Model((*begun)(nil)).Column("session_id").Where("realm_id = ?", r).
		Where("provider = ?", provider)
	if subject != "" {
		q = q.Where("subject = ?", subject)
	}
	if sid != "" {
		q = q.Where("sid = ?", sid)
	}
	err := q.Order("session_id").Limit(maxSessions).Scan(ctx, &ids)
	return ids, err
}

// People returns the users with sessions that Sessions returns, ordered by ID.
func (s store) People(ctx context.Context, r realm.ID, provider, subject, sid string) ([]user.ID, error) {
	ids := []user.ID{}
	q := s.db.From(ctx).NewSelect().Model((*begun)(nil)).ColumnExpr("DISTINCT user_id").Where("realm_id = ?", r).
		Where("provider = ?", provider)
	if subject != "" {
		q = q.Where("subject = ?", subject)
	}
	if sid != "" {
		q = q.Where("sid = ?", sid)
	}
	err := q.Order("user_id").Limit(maxSessions).Scan(ctx, &ids)
	return ids, err
}

// Begun returns the identity with which a session began; zero: with none.
func (s store) Begun(ctx context.Context, r realm.ID, id session.ID) (begun, error) {
	var one begun
	_, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).
		Where("realm_id = ?", r).Where("session_id = ?", id).Scan(ctx))
	return one, err
}

// ForgetSessions deletes what is known about sessions.
func (s store) ForgetSessions(ctx context.Context, ids []session.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*begun)(nil)).Where("session_id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// ForgetSessionsIn deletes what is known about all sessions of a realm.
func (s store) ForgetSessionsIn(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*begun)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}
