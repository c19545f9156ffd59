package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
)

// Letter is an email with a link, or a request of an owner to send some.
type Letter struct {
	bun.BaseModel `bun:"table:import_letters,alias:l"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	Address       string // a hash of the receiver's address; "": a request
	SentAt        time.Time
}

// AddLetter records a letter.
func (s *Store) AddLetter(ctx context.Context, l *Letter) error {
	_, err := s.db.From(ctx).NewInsert().Model(l).ExcludeColumn("id").Exec(ctx)
	return err
}

// Letters returns the times of the letters to an address since a time, the oldest first.
func (s *Store) Letters(ctx context.Context, r realm.ID, address string, since time.Time) ([]time.Time, error) {
	var rows []Letter
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Where("address = ?", address).
		Where("sent_at > ?", since).Order("sent_at").Scan(ctx)
	all := make([]time.Time, len(rows))
	for i, l := range rows {
		all[i] = l.SentAt
	}
	return all, err
}

// DropLetters deletes at most limit letters that were sent before a time, and returns how many.
func (s *Store) DropLetters(ctx context.Context, before time.Time, limit int64) (int64, error) {
	some := s.db.From(ctx).NewSelect().Model((*Letter)(nil)).Column("id").Where("sent_at < ?", before).Limit(limit)
	res, err := s.db.From(ctx).NewDelete().Model((*Letter)(nil)).Where("id IN (?)", some).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
