package confirmations

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/confirmation"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:confirmations,alias:c"`
	ID            confirmation.ID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	Kind          confirmation.Kind
	UserID        user.ID `person:"row"`
	Email         string  `person:"address"`
	EmailKey      string  `person:"address"`
	Nonce         string
	CreatedAt     time.Time
	ExpiresAt     time.Time
	EndedAt       bun.NullTime
}

// Add stores a new confirmation and sets its ID.
func (s store) Add(ctx context.Context, c *confirmation.Confirmation) error {
	r := row{
		RealmID: c.Realm, Kind: c.Kind, UserID: c.User, Email: c.Email, EmailKey: user.EmailKey(c.Email), Nonce: c.Nonce,
		CreatedAt: c.Created, ExpiresAt: c.Expires, EndedAt: bun.NullTime{Time: c.Ended},
	}
	return s.db.From(ctx).NewInsert().Model(&r).Returning("id").Scan(ctx, &c.ID)
}

// Get returns a confirmation, or nil.
func (s store) Get(ctx context.Context, id confirmation.ID) (*confirmation.Confirmation, error) {
	var r row
	if found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&r).Where("c.id = ?", id).Scan(ctx)); !found {
		return nil, err
	}
	return &confirmation.Confirmation{
		ID: r.ID, Realm: r.RealmID, Kind: r.Kind, User: r.UserID, Email: r.Email, Nonce: r.Nonce,
		Created: r.CreatedAt.UTC(), Expires: r.ExpiresAt.UTC(), Ended: r.EndedAt.UTC(),
	}, nil
}

// End invalidates a confirmation.
func (s store) End(ctx context.Context, id confirmation.ID, now time.Time) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("ended_at = ?", now).
		Where("id = ?", id).
		Where("ended_at IS NULL").
		Exec(ctx)
	return err
}

// EndAddresses invalidates a user's pending changes of address.
func (s store) EndAddresses(ctx context.Context, r realm.ID, u user.ID, now time.Time) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("ended_at = ?", now).
		Where("realm_id = ?", r).
		Where("user_id = ?", u).
		Where("ended_at IS NULL").
		Exec(ctx)
	return err
}

// EndPasswords invalidates the pending password resets for the given addresses.
func (s store) EndPasswords(ctx context.Context, r realm.ID, now time.Time, emails ...string) error {
	keys := make([]string, len(emails))
	for i, e := range emails {
		keys[i] = user.EmailKey(e)
	}
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("ended_at = ?", now).Where("realm_id = ?", r).
		Where("email_key IN (?)", bun.List(keys)).Where("kind = ?", confirmation.Password).Where("ended_at IS NULL").Exec(ctx)
	return err
}

// Forget deletes confirmations that ended or expired before the given time.
func (s store) Forget(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*row)(nil)).
		Where("ended_at < ? OR expires_at < ?", before, before).
		Exec(ctx)
	return err
}

// sent records a requested email. The rate limits count these rows.
type sent struct {
	bun.BaseModel `bun:"table:confirmation_mails,alias:s"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	Kind          confirmation.Kind
	Subject       string `person:"address"`
	Source        string
	SentAt        time.Time
}

// AddSent records an email.
func (s store) AddSent(ctx context.Context, one sent) error {
	_, err := s.db.From(ctx).NewInsert().Model(&one).Exec(ctx)
	return err
}

// SentFor returns the times of the most recent emails for a subject after since, at most limit of them.
func (s store) SentFor(
	ctx context.Context,
	r realm.ID,
	k confirmation.Kind,
	subject string,
	since time.Time,
	limit int,
) ([]time.Time, error) {
	return s.times(
		ctx,
		limit,
		s.db.From(ctx).NewSelect().Model((*sent)(nil)).Column("sent_at").Where("s.realm_id = ?", r).Where("s.kind = ?", k).
			Where("s.subject = ?", subject).Where("s.sent_at > ?", since),
	)
}

// SentFrom is like SentFor, but for a source, across all realms and kinds.
func (s store) SentFrom(ctx context.Context, source string, since time.Time, limit int) ([]time.Time, error) {
	return s.times(
		ctx,
		limit,
		s.db.From(ctx).
			NewSelect().
			Model((*sent)(nil)).
			Column("sent_at").
			Where("s.source = ?", source).
			Where("s.sent_at > ?", since),
	)
}

func (s store) times(ctx context.Context, limit int, q *bun.SelectQuery) ([]time.Time, error) {
	var rows []struct{ SentAt time.Time }
	err := q.OrderExpr("s.sent_at DESC").Limit(int64(limit)).Scan(ctx, &rows)
	out := make([]time.Time, len(rows))
	for i, r := range rows {
		out[i] = r.SentAt.UTC()
	}
	return out, err
}

// ForgetSent deletes the records of emails requested before the given time.
func (s store) ForgetSent(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*sent)(nil)).Where("sent_at < ?", before).Exec(ctx)
	return err
}
