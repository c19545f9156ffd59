package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Purges stores unfinished purges.
type Purges struct{ db *bunstore.DB }

// AnyPurge selects whether there are unfinished purges.
const AnyPurge = "SELECT 0 FROM message_purges LIMIT 1"

// Purge is a pending deletion of a user's messages.
type Purge struct {
	bun.BaseModel `bun:"table:message_purges,alias:p"`
	ID            int64    `bun:",pk,autoincrement"`
	Realm         realm.ID `bun:"realm_id"`
	User          user.ID  `bun:"user_id" person:"hook"`
	By            user.ID  `bun:"by_id" person:"id"` // the user who requested it
	InPublic      bool
	InPrivate     bool
	Direct        bool
	Done          message.ID // all messages up to this ID have been deleted
	Upto          message.ID // later messages are kept; 0: no limit
	CreatedAt     time.Time
}

// Deletion returns what the purge deletes.
func (p *Purge) Deletion() user.Deletion {
	return user.Deletion{PublicChannels: p.InPublic, PrivateChannels: p.InPrivate, DirectMessages: p.Direct}
}

// Add stores a purge and sets its ID.
func (s *Purges) Add(ctx context.Context, p *Purge) error {
	return s.db.From(ctx).NewInsert().Model(p).ExcludeColumn("id").Returning("id").Scan(ctx, &p.ID)
}

// Get returns an unfinished purge, or nil.
func (s *Purges) Get(ctx context.Context, id int64) (*Purge, error) {
	var rows []*Purge
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("p.id = ?", id).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// List returns at most limit unfinished purges with IDs above after, in ascending order.
func (s *Purges) List(ctx context.Context, after int64, limit int) ([]*Purge, error) {
	var rows []*Purge
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("p.id > ?", after).Order("p.id").Limit(int64(limit)).Scan(ctx)
	return rows, err
}

// SetDone stores the progress of a purge.
func (s *Purges) SetDone(ctx context.Context, id int64, done message.ID) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*Purge)(nil)).Set("done = ?", done).Where("id = ?", id).Exec(ctx)
	return err
}

// End deletes a completed purge.
func (s *Purges) End(ctx context.Context, id int64) error {
	_, err := s.db.From(ctx).NewDelete().Model((*Purge)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}

// Limit limits a user's purges to messages up to an ID, because the user can send messages again.
func (s *Purges) Limit(ctx context.Context, u user.ID, upto message.ID) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*Purge)(nil)).
		Set("upto = ?", upto).
		Where("user_id = ?", u).
		Where("upto = 0").
		Exec(ctx)
	return err
}

// OldestOf returns the oldest message of each of the conversations that has any.
func (s *Store) OldestOf(ctx context.Context, rs []message.Recipient) (map[message.Recipient]message.ID, error) {
	in := make([]Stretch, len(rs))
	for i, r := range rs {
		in[i] = Stretch{r, Range{From: 1, To: message.MaxID}}
	}
	ends, err := s.Ends(ctx, in, Filter{}, false)
	out := make(map[message.Recipient]message.ID, len(rs))
	for i, id := range ends {
		if id != 0 {
			out[rs[i]] = id
		}
	}
	return out, err
}
