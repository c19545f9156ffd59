package store

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Of returns a user's unfinished purges.
func (s *Purges) Of(ctx context.Context, u user.ID) ([]*Purge, error) {
	var rows []*Purge
	return rows, s.db.From(ctx).NewSelect().Model(&rows).Where("p.user_id = ?", u).Order("p.id").Scan(ctx)
}

// DeleteOf deletes a user's submessages.
func (s *Submessages) DeleteOf(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*submessage)(nil)).Where("sender_id = ?", u).Exec(ctx)
	return err
}

// Archived returns at most limit of a realm's deleted messages with IDs above after, in ascending order.
func (s *Store) Archived(ctx context.Context, r realm.ID, after message.ID, limit int) ([]message.Message, error) {
	var rows []archived
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("id", "record").Where("realm_id = ?", r).Where("id > ?", after).
		Order("id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]message.Message, len(rows))
	for i := range rows {
		if err := json.Unmarshal([]byte(rows[i].Record), &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RewriteArchived stores a changed message in the archive.
func (s *Store) RewriteArchived(ctx context.Context, m *message.Message) error {
	record, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewUpdate().Model((*archived)(nil)).Set("record = ?", string(record)).Where("id = ?", m.ID).
		Exec(ctx)
	return err
}

// DropArchived deletes messages from the archive.
func (s *Store) DropArchived(ctx context.Context, ids []message.ID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewDelete().Model((*archived)(nil)).Where("id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// Containing returns the IDs of a realm's messages in a range whose HTML contains a text without wildcards.
func (s *Store) Containing(ctx context.Context, r realm.ID, in Range, text string) ([]message.ID, error) {
	var ids []message.ID
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id").Where("m.id >= ?", in.From).
		Where("m.id <= ?", in.To).Where("m.realm_id = ?", r).Where("m.rendered LIKE ?", "%"+text+"%").Order("m.id").
		Scan(ctx, &ids)
	return ids, err
}

// Containing returns the edits of messages in a range whose former HTML contains a text without wildcards. Only what
// identifies an edit and its former text are set.
func (s *Edits) Containing(ctx context.Context, in Range, text string) ([]message.Edit, error) {
	var rows []edit
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("message_id", "n", "prev_content", "prev_rendered").
		Where("message_id >= ?", in.From).Where("message_id <= ?", in.To).Where("prev_rendered LIKE ?", "%"+text+"%").
		Scan(ctx)
	out := make([]message.Edit, len(rows))
	for i, e := range rows {
		out[i] = message.Edit{Message: e.Message, N: e.N, PrevContent: e.PrevContent, PrevRendered: e.PrevRendered}
	}
	return out, err
}

// Rewrite stores the former text of an edit.
func (s *Edits) Rewrite(ctx context.Context, e *message.Edit) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*edit)(nil)).Set("prev_content = ?", e.PrevContent).
		Set("prev_rendered = ?", e.PrevRendered).Where("message_id = ?", e.Message).Where("n = ?", e.N).Exec(ctx)
	return err
}
