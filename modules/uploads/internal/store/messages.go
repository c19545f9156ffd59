package store

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
)

// Ref is a reference from a message to a file.
type Ref struct {
	bun.BaseModel `bun:"table:attachment_messages,alias:am"`
	File          upload.ID  `bun:"attachment_id,pk"`
	Message       message.ID `bun:"message_id,pk"`
	Realm         realm.ID   `bun:"realm_id"`
}

// Messages returns at most limit messages that refer to a file and have IDs less than below, newest first.
func (s *Store) Messages(ctx context.Context, id upload.ID, below message.ID, limit int) ([]message.ID, error) {
	ids := []message.ID{}
	err := s.db.From(ctx).NewSelect().Model((*Ref)(nil)).Column("message_id").Where("attachment_id = ?", id).
		Where("message_id < ?", below).Order("message_id DESC").Limit(int64(limit)).Scan(ctx, &ids)
	return ids, err
}

// MessagesOf returns at most limit of the newest messages that refer to each file, in ascending order.
func (s *Store) MessagesOf(ctx context.Context, files []upload.ID, limit int) (map[upload.ID][]message.ID, error) {
	out := make(map[upload.ID][]message.ID, len(files))
	for part := range slices.Chunk(files, perStatement) {
		var rows []struct {
			AttachmentID upload.ID
			MessageID    message.ID
		}
		ranked := s.db.From(ctx).NewSelect().Model((*Ref)(nil)).Column("attachment_id", "message_id").
			ColumnExpr("ROW_NUMBER() OVER (PARTITION BY attachment_id ORDER BY message_id DESC) AS newest").
			Where("attachment_id IN (?)", bun.List(part))
		err := s.db.From(ctx).NewSelect().TableExpr("(?) AS ranked", ranked).Column("attachment_id", "message_id").
			Where("newest <= ?", limit).Order("attachment_id", "message_id").Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.AttachmentID] = append(out[r.AttachmentID], r.MessageID)
		}
	}
	return out, nil
}

// RefsOf returns the references of messages.
func (s *Store) RefsOf(ctx context.Context, messages []message.ID) ([]Ref, error) {
	var out []Ref
	for part := range slices.Chunk(messages, perStatement) {
		var refs []Ref
		err := s.db.From(ctx).NewSelect().Model(&refs).Where("message_id IN (?)", bun.List(part)).
			Order("attachment_id", "message_id").Scan(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, refs...)
	}
	return out, nil
}

// Referring returns at most limit of a realm's messages with references and IDs above after, in ascending order.
func (s *Store) Referring(ctx context.Context, r realm.ID, after message.ID, limit int) (ids []message.ID, err error) {
	err = s.db.From(ctx).NewSelect().Distinct().Model((*Ref)(nil)).Column("message_id").Where("realm_id = ?", r).
		Where("message_id > ?", after).Order("message_id").Limit(int64(limit)).Scan(ctx, &ids)
	return ids, err
}

// AddRefs adds references. For this and the following methods, the caller must hold the realm's lock.
func (s *Store) AddRefs(ctx context.Context, refs []Ref) error {
	for part := range slices.Chunk(refs, perStatement) {
		if _, err := s.db.From(ctx).NewInsert().Model(&part).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// RemoveRefs removes a message's references to the given files.
func (s *Store) RemoveRefs(ctx context.Context, m message.ID, files []upload.ID) error {
	for part := range slices.Chunk(files, perStatement) {
		_, err := s.db.From(ctx).NewDelete().Model((*Ref)(nil)).Where("message_id = ?", m).
			Where("attachment_id IN (?)", bun.List(part)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// RemoveRefsOf removes all references of messages.
func (s *Store) RemoveRefsOf(ctx context.Context, messages []message.ID) error {
	for part := range slices.Chunk(messages, perStatement) {
		q := s.db.From(ctx).NewDelete().Model((*Ref)(nil)).Where("message_id IN (?)", bun.List(part))
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// referred is an SQL condition that holds for files that a message or a scheduled message refers to.
const referred = "(EXISTS (SELECT 1 FROM attachment_messages am WHERE am.attachment_id = a.id)" +
	" OR EXISTS (SELECT 1 FROM attachment_scheduled s WHERE s.attachment_id = a.id))"

// KeepReferenced cancels the removal of the given files that are referenced.
func (s *Store) KeepReferenced(ctx context.Context, files []upload.ID) error {
	for part := range slices.Chunk(files, perStatement) {
		_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("unused_until = NULL").
			Where("a.id IN (?)", bun.List(part)).
			Where("a.unused_until IS NOT NULL").Where(referred).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// ExpireUnreferenced schedules the removal of the given files that are unreferenced.
func (s *Store) ExpireUnreferenced(ctx context.Context, files []upload.ID, until time.Time) error {
	for part := range slices.Chunk(files, perStatement) {
		_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("unused_until = ?", until).
			Where("a.id IN (?)", bun.List(part)).
			Where("NOT " + referred).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// ReferredOnlyBy returns the given files to which only one message refers, sorted by ID.
func (s *Store) ReferredOnlyBy(ctx context.Context, m message.ID, ids []upload.ID) ([]upload.File, error) {
	var out []upload.File
	for part := range slices.Chunk(ids, perStatement) {
		var rows []row
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("a.id IN (?)", bun.List(part)).
			Where("NOT EXISTS (SELECT 1 FROM attachment_messages am WHERE am.attachment_id = a.id AND am.message_id <> ?)", m).
			Where("NOT EXISTS (SELECT 1 FROM attachment_scheduled s WHERE s.attachment_id = a.id)").
			Order("a.id").Scan(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, files(rows)...)
	}
	return out, nil
}

// Unreferenced returns the given files that are unreferenced, sorted by ID.
func (s *Store) Unreferenced(ctx context.Context, ids []upload.ID) ([]upload.File, error) {
	var out []upload.File
	for part := range slices.Chunk(ids, perStatement) {
		var rows []row
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("a.id IN (?)", bun.List(part)).
			Where("NOT " + referred).Order("a.id").Scan(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, files(rows)...)
	}
	return out, nil
}

// ExpireUnreferencedOf schedules the removal of a user's unreferenced files.
func (s *Store) ExpireUnreferencedOf(ctx context.Context, u user.ID, until time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("unused_until = ?", until).Where("a.owner_id = ?", u).
		Where("NOT " + referred).Exec(ctx)
	return err
}

// DueFiles returns at most limit files that are due for removal, most overdue first.
func (s *Store) DueFiles(ctx context.Context, now time.Time, limit int) ([]upload.File, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("a.unused_until <= ?", now).
		Order("a.unused_until", "a.id").Limit(int64(limit)).Scan(ctx)
	return files(rows), err
}

// StillDue returns the given files that are due for removal and unreferenced.
func (s *Store) StillDue(ctx context.Context, ids []upload.ID, now time.Time) ([]upload.File, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("a.id IN (?)", bun.List(ids)).Where("a.unused_until <= ?", now).
		Where("NOT " + referred).Order("a.id").Scan(ctx)
	return files(rows), err
}
