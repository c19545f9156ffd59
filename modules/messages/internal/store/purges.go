package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Purge is what somebody has sent that is to be deleted.
type Purge struct {
	bun.BaseModel `bun:"table:message_purges,alias:p"`
	ID            int64    `bun:",pk,autoincrement"`
	Realm         realm.ID `bun:"realm_id"`
	User          user.ID  `bun:"user_id"`
	By            user.ID  `bun:"by_id"` // who wants it
	InPublic      bool
	InPrivate     bool
	Direct        bool
	Done          message.ID // up to this one nothing of it is left
	Upto          message.ID // later messages stay; 0: there can be none
	CreatedAt     time.Time
}

// Deletion is what goes.
func (p *Purge) Deletion() user.Deletion {
	return user.Deletion{PublicChannels: p.InPublic, PrivateChannels: p.InPrivate, DirectMessages: p.Direct}
}

// AddPurge stores a purge and gives it its id.
func (s *Store) AddPurge(ctx context.Context, p *Purge) error {
	return s.db.From(ctx).NewInsert().Model(p).ExcludeColumn("id").Returning("id").Scan(ctx, &p.ID)
}

// Purge gives a purge that is not done yet; nil if it is.
func (s *Store) Purge(ctx context.Context, id int64) (*Purge, error) {
	var rows []*Purge
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("p.id = ?", id).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// Purges gives those that are not done yet, with ids above one, oldest first.
func (s *Store) Purges(ctx context.Context, after int64, limit int) ([]*Purge, error) {
	var rows []*Purge
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("p.id > ?", after).Order("p.id").Limit(int64(limit)).Scan(ctx)
	return rows, err
}

// SetPurged stores how far a purge has come.
func (s *Store) SetPurged(ctx context.Context, id int64, done message.ID) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*Purge)(nil)).Set("done = ?", done).Where("id = ?", id).Exec(ctx)
	return err
}

// EndPurge forgets a purge.
func (s *Store) EndPurge(ctx context.Context, id int64) error {
	_, err := s.db.From(ctx).NewDelete().Model((*Purge)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}

// BoundPurges has those of somebody, who may send again, end with an id.
func (s *Store) BoundPurges(ctx context.Context, u user.ID, upto message.ID) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*Purge)(nil)).
		Set("upto = ?", upto).
		Where("user_id = ?", u).
		Where("upto = 0").
		Exec(ctx)
	return err
}

// OldestOf gives the oldest message of each of some conversations; one without messages is left out.
func (s *Store) OldestOf(ctx context.Context, rs []message.Recipient) (map[message.Recipient]message.ID, error) {
	out := make(map[message.Recipient]message.ID, len(rs))
	for part := range slices.Chunk(rs, perMerge) {
		text, args := make([]string, len(part)), make([]any, 0, 2*len(part))
		for i, r := range part {
			text[i] = "SELECT ? AS n, (SELECT m.id FROM messages m WHERE m.recipient_id = ? ORDER BY m.id LIMIT 1) AS id"
			args = append(args, i, r)
		}
		var rows []struct {
			N  int
			ID *message.ID
		}
		if err := s.db.From(ctx).NewRaw(strings.Join(text, " UNION ALL "), args...).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.ID != nil {
				out[part[row.N]] = *row.ID
			}
		}
	}
	return out, nil
}
