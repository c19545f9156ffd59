package tickets

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/uptrace/bun"
)

type row struct {
	bun.BaseModel `bun:"table:tickets"`
	ID            int64      `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID   `export:"yes"`
	Reporter      user.ID    `export:"yes" person:"id"`
	MessageID     message.ID `export:"yes"`
	NoteID        message.ID `export:"yes"` // the bot's message about the ticket
}

type store struct{ db *bunstore.DB }

// Insert stores a ticket and sets its ID.
func (s store) Insert(ctx context.Context, r *row) error {
	_, err := s.db.From(ctx).NewInsert().Model(r).Returning("id").Exec(ctx)
	return err
}

// SetNote stores which message is about a ticket.
func (s store) SetNote(ctx context.Context, r *row) error {
	_, err := s.db.From(ctx).NewUpdate().Model(r).Column("note_id").WherePK().Exec(ctx)
	return err
}

// Find returns a ticket, or nil.
func (s store) Find(ctx context.Context, r realm.ID, id int64) (*row, error) {
	one := row{ID: id}
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).WherePK().Where("realm_id = ?", r).Scan(ctx))
	if err != nil || !found {
		return nil, err
	}
	return &one, nil
}

// Delete deletes a ticket.
func (s store) Delete(ctx context.Context, id int64) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}
