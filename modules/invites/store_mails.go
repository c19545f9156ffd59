package invites

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// sent records an invitation or a sign-up, for the daily limits.
type sent struct {
	bun.BaseModel `bun:"table:invite_mails,alias:s"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	// ByMail: an email invitation; ByLink: a sign-up with a link; Confirmation: a sign-up without one
	Kind     invite.Kind
	UserID   user.ID `person:"row"` // the inviter, by email or link; 0: none
	EmailKey string  `person:"address"`
	Source   string
	SentAt   time.Time
}

// Note stores records.
func (s store) Note(ctx context.Context, all []sent) error {
	if len(all) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewInsert().Model(&all).Exec(ctx)
	return err
}

// Sent returns the number of a realm's records of a kind since the given time, and how many of them have one of the
// given inviters.
func (s store) Sent(
	ctx context.Context, r realm.ID, k invite.Kind, by []user.ID, since time.Time,
) (quota.Count, error) {
	var n quota.Count
	err := s.db.From(ctx).
		NewSelect().
		Model((*sent)(nil)).
		ColumnExpr("count(*)").
		ColumnExpr("count(CASE WHEN s.user_id IN (?) THEN 1 END)", bun.List(by)).
		Where("s.realm_id = ?", r).
		Where("s.kind = ?", k).
		Where("s.sent_at > ?", since).
		Scan(ctx, &n.All, &n.Own)
	return n, err
}

// SentFrom returns the number of records of a network source since the given time, in all realms.
func (s store) SentFrom(ctx context.Context, source string, since time.Time) (int, error) {
	n, err := s.db.From(ctx).
		NewSelect().
		Model((*sent)(nil)).
		Where("s.source = ?", source).
		Where("s.sent_at > ?", since).
		Count(ctx)
	return int(n), err
}

// SentTo returns the number of a realm's records for each address key since the given time.
func (s store) SentTo(ctx context.Context, r realm.ID, keys []string, since time.Time) (map[string]int, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []struct {
		EmailKey string
		N        int
	}
	err := s.db.From(ctx).
		NewSelect().
		Model((*sent)(nil)).
		Column("email_key").
		ColumnExpr("count(*) AS n").
		Where("s.realm_id = ?", r).
		Where("s.email_key IN (?)", bun.List(keys)).
		Where("s.sent_at > ?", since).
		Group("email_key").
		Scan(ctx, &rows)
	out := make(map[string]int, len(rows))
	for _, one := range rows {
		out[one.EmailKey] = one.N
	}
	return out, err
}

// ForgetSent deletes records created before the given time.
func (s store) ForgetSent(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*sent)(nil)).Where("sent_at < ?", before).Exec(ctx)
	return err
}
