package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Lock returns those of a realm's messages that have the given IDs, sorted by ID, and locks their rows until the
// transaction ends.
func (s *Store) Lock(ctx context.Context, r realm.ID, ids []message.ID) ([]message.Message, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	out := make([]message.Message, 0, len(ids))
	for part := range slices.Chunk(ids, perList) {
		var rows []row
		q := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("m.id IN (?)", bun.List(part)).
			Where("m.realm_id = ?", r).
			Order("m.id")
		if err := s.db.ForUpdate(q).Scan(ctx); err != nil {
			return nil, err
		}
		for i := range rows {
			out = append(out, rows[i].message())
		}
	}
	return out, nil
}

// Oldest returns the ID of a conversation's oldest message, or 0.
func (s *Store) Oldest(ctx context.Context, r message.Recipient) (message.ID, error) {
	var ids []message.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column("id").
		Where("m.recipient_id = ?", r).
		Order("m.id").
		Limit(1).
		Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// InTopic returns at most limit of a topic's messages with IDs below the given one, newest first and without content.
func (s *Store) InTopic(
	ctx context.Context,
	r message.Recipient,
	topicKey string,
	below message.ID,
	limit int,
) ([]message.Message, error) {
	return s.ScanOne(ctx, Scan{
		Filter: Filter{Recipients: []message.Recipient{r}, Topic: &topicKey},
		Range:  Range{From: 1, To: below - 1}, Down: true, Limit: limit,
	})
}

type archived struct {
	bun.BaseModel `bun:"table:message_archive"`
	ID            message.ID        `bun:",pk"`
	Realm         realm.ID          `bun:"realm_id"`
	Recipient     message.Recipient `bun:"recipient_id"`
	DeletedAt     time.Time
	DeletedBy     user.ID `person:"id"`
	Record        string
}

// Delete moves messages to the archive, with their reactions, submessages and newest edits (at most message.MaxEdits
// per message). The realm must be locked.
func (s *Store) Delete(ctx context.Context, ms []message.Message, by user.ID, at time.Time) error {
	ids := make([]message.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	edits, err := s.Edits.Of(ctx, ids)
	if err != nil {
		return err
	}
	reactions, err := s.Reactions.Of(ctx, ids)
	if err != nil {
		return err
	}
	submessages, err := s.Submessages.Of(ctx, ids)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(ms, perInsert) {
		rows := make([]archived, len(part))
		for i, m := range part {
			m.Edits, m.Reactions, m.Submessages = edits[m.ID], reactions[m.ID], submessages[m.ID]
			record, err := json.Marshal(m)
			if err != nil {
				return err
			}
			rows[i] = archived{
				ID:        m.ID,
				Realm:     m.Realm,
				Recipient: m.Recipient,
				DeletedAt: at,
				DeletedBy: by,
				Record:    string(record),
			}
		}
		if _, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(ids, perList) {
		for table, column := range map[string]string{
			"reactions": "message_id", "submessages": "message_id", "message_edits": "message_id", "message_search": "rowid",
			"messages": "id",
		} {
			_, err := s.db.From(ctx).NewDelete().Table(table).
				Where("? IN (?)", bun.Ident(column), bun.List(part)).Exec(ctx)
			if err != nil {
				return err
			}
		}
	}
	if len(ms) == 0 {
		return nil
	}
	return s.recordChanges(ctx, ms[0].Realm, ids)
}

// EmptyArchive removes at most limit messages from the archive that were deleted before the given time, and returns
// their number.
func (s *Store) EmptyArchive(ctx context.Context, before time.Time, limit int) (int64, error) {
	return bunstore.Affected(s.db.From(ctx).NewRaw(`DELETE FROM message_archive WHERE id IN
		(SELECT id FROM message_archive WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?)`, before, limit).Exec(ctx))
}
