package twofactor

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// factors is what a user has set up. Times are Unix seconds.
type factors struct {
	bun.BaseModel `bun:"table:second_factors,alias:f"`
	UserID        user.ID `bun:",pk" person:"row"`
	RealmID       realm.ID
	Secret        string
	Pending       string
	LastStep      int64
	AddedAt       int64
	AskedAt       int64
	EndedAt       int64
	Tries         int
	TriesSince    int64
	Passkeys      int64 `bun:"-"` // their number
}

// Of returns what a user has set up; the zero value if nothing.
func (s store) Of(ctx context.Context, u user.ID) (factors, error) {
	var f factors
	_, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&f).Where("user_id = ?", u).Scan(ctx))
	if err != nil {
		return f, err
	}
	f.UserID = u
	f.Passkeys, err = s.db.From(ctx).NewSelect().Model((*passkey)(nil)).Where("user_id = ?", u).Count(ctx)
	return f, err
}

// Ensure adds the row of a user if it is missing.
func (s store) Ensure(ctx context.Context, r realm.ID, u user.ID) error {
	_, err := s.db.From(ctx).NewInsert().Model(&factors{UserID: u, RealmID: r}).On("CONFLICT (user_id) DO NOTHING").
		Exec(ctx)
	return err
}

// update changes the row of a user, which must exist, and reports whether it meets the condition.
func (s store) update(ctx context.Context, u user.ID, change func(*bun.UpdateQuery) *bun.UpdateQuery) (bool, error) {
	q := s.db.From(ctx).NewUpdate().Model((*factors)(nil)).Where("user_id = ?", u)
	n, err := bunstore.Affected(change(q).Exec(ctx))
	return n > 0, err
}

// SetPending stores the secret of an app that is being set up.
func (s store) SetPending(ctx context.Context, u user.ID, sealed string) error {
	_, err := s.update(ctx, u, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("pending = ?", sealed) })
	return err
}

// SetApp stores the secret of an app, or with "" removes it, and the step of the code that has shown that it works.
func (s store) SetApp(ctx context.Context, u user.ID, sealed string, step int64, now time.Time) error {
	_, err := s.update(ctx, u, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("secret = ?", sealed).Set("pending = ''").Set("last_step = ?", step).Set("added_at = ?", now.Unix())
	})
	return err
}

// UseStep records that the code of a step was used, and reports whether none of it or a later one has been.
func (s store) UseStep(ctx context.Context, u user.ID, step int64) (bool, error) {
	return s.update(ctx, u, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("last_step = ?", step).Where("last_step < ?", step)
	})
}

// SetAsked stores when the organization first required a second factor of a user.
func (s store) SetAsked(ctx context.Context, u user.ID, at int64) error {
	_, err := s.update(ctx, u, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("asked_at = ?", at).Set("ended_at = 0")
	})
	return err
}

// Try counts a code that is tried, unless most have been tried since a moment, and reports whether it did.
func (s store) Try(ctx context.Context, u user.ID, most int, now time.Time, window time.Duration) (bool, error) {
	since := now.Add(-window).Unix()
	return s.update(ctx, u, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("tries = CASE WHEN tries_since <= ? THEN 1 ELSE tries + 1 END", since).
			Set("tries_since = CASE WHEN tries_since <= ? THEN ? ELSE tries_since END", since, now.Unix()).
			Where("tries < ? OR tries_since <= ?", most, since)
	})
}

// Untry forgets the codes that were tried, after a right one.
func (s store) Untry(ctx context.Context, u user.ID) error {
	_, err := s.update(ctx, u, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("tries = 0") })
	return err
}

// Used reports whether anybody in a realm has set up an app.
func (s store) Used(ctx context.Context, r realm.ID) (bool, error) {
	return s.db.From(ctx).NewSelect().Model((*factors)(nil)).Where("realm_id = ?", r).Where("secret <> ''").Exists(ctx)
}

// Forget deletes everything that a user has set up.
func (s store) Forget(ctx context.Context, u user.ID) error {
	for _, table := range []any{
		(*factors)(nil), (*recoveryCode)(nil), (*step)(nil), (*passkey)(nil), (*passkeyUser)(nil),
	} {
		if _, err := s.db.From(ctx).NewDelete().Model(table).Where("user_id = ?", u).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

type recoveryCode struct {
	bun.BaseModel `bun:"table:recovery_codes,alias:c"`
	Hash          string  `bun:",pk"`
	UserID        user.ID `person:"row"`
	RealmID       realm.ID
}

// Codes returns the number of recovery codes that a user has left.
func (s store) Codes(ctx context.Context, u user.ID) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*recoveryCode)(nil)).Where("user_id = ?", u).Count(ctx)
}

// ReplaceCodes replaces the recovery codes of a user.
func (s store) ReplaceCodes(ctx context.Context, u user.ID, now []recoveryCode) error {
	if _, err := s.db.From(ctx).NewDelete().Model((*recoveryCode)(nil)).Where("user_id = ?", u).Exec(ctx); err != nil {
		return err
	}
	if len(now) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewInsert().Model(&now).Exec(ctx)
	return err
}

// UseCode deletes a recovery code, and reports whether the user had it.
func (s store) UseCode(ctx context.Context, u user.ID, hash string) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewDelete().Model((*recoveryCode)(nil)).Where("user_id = ?", u).
		Where("hash = ?", hash).Exec(ctx))
	return n > 0, err
}

// step is a login that continues with a second factor.
type step struct {
	bun.BaseModel `bun:"table:second_steps,alias:s"`
	Hash          string  `bun:",pk"`
	UserID        user.ID `person:"row"`
	RealmID       realm.ID
	Flow          string
	Secret        string
	Given         int
	Tries         int
	EndsAt        int64
}

// AddStep stores a login that continues.
func (s store) AddStep(ctx context.Context, one *step) error {
	_, err := s.db.From(ctx).NewInsert().Model(one).Exec(ctx)
	return err
}

// Step returns a login that has not expired, or nil.
func (s store) Step(ctx context.Context, r realm.ID, hash string, now time.Time) (*step, error) {
	var one step
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).Where("hash = ?", hash).Where("realm_id = ?", r).
		Where("ends_at > ?", now.Unix()).Scan(ctx))
	if !found {
		return nil, err
	}
	return &one, nil
}

// TryStep counts a code that is tried in a login, unless most have been, and reports whether it did.
func (s store) TryStep(ctx context.Context, hash string, most int) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewUpdate().Model((*step)(nil)).Set("tries = tries + 1").
		Where("hash = ?", hash).Where("tries < ?", most).Exec(ctx))
	return n > 0, err
}

// ChangeStep stores the secret of an app that is set up during a login, and whether a code has shown that it works.
func (s store) ChangeStep(ctx context.Context, one *step) error {
	_, err := s.db.From(ctx).NewUpdate().Model(one).Column("secret", "given").WherePK().
		Where("realm_id = ?", one.RealmID).Exec(ctx)
	return err
}

// TakeStep deletes a login, and reports whether it existed.
func (s store) TakeStep(ctx context.Context, hash string) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewDelete().Model((*step)(nil)).Where("hash = ?", hash).Exec(ctx))
	return n > 0, err
}

// DropSteps deletes the logins of a user.
func (s store) DropSteps(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*step)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}

// ForgetSteps deletes logins that have expired, and notices that were sent long ago.
func (s store) ForgetSteps(ctx context.Context, now time.Time) error {
	if _, err := s.db.From(ctx).NewDelete().Model((*step)(nil)).Where("ends_at <= ?", now.Unix()).Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewDelete().Model((*notice)(nil)).Where("created_at < ?", now.Add(-keepNotices).Unix()).
		Exec(ctx)
	return err
}

// notice is an email about a change.
type notice struct {
	bun.BaseModel `bun:"table:second_factor_notices,alias:n"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Kind          change
	CreatedAt     int64
}

// AddNotice stores an email, and sets its ID.
func (s store) AddNotice(ctx context.Context, n *notice) error {
	_, err := s.db.From(ctx).NewInsert().Model(n).Returning("id").Exec(ctx)
	return err
}

// Notice returns an email, or nil.
func (s store) Notice(ctx context.Context, id int64) (*notice, error) {
	var n notice
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&n).Where("id = ?", id).Scan(ctx))
	if !found {
		return nil, err
	}
	return &n, nil
}
