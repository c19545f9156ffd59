package store

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
)

// The table attachment_archive holds files that were deleted with their last message, for a restore. No query that
// serves, lists or counts files reads it.

// archiveColumns are the columns that both tables have.
const archiveColumns = "id, realm_id, owner_id, path_id, name, size, content_type, blob_key, created_at, " +
	"width, height, animated, thumbnail, transcoded"

// Archive copies files of a realm to the archive, where they stay until the given time. The caller must hold the
// realm's lock, as for all methods of this file that change rows.
func (s *Store) Archive(ctx context.Context, r realm.ID, archived []upload.File, until time.Time) error {
	if len(archived) == 0 {
		return nil
	}
	replaced, err := s.dropArchived(ctx, archived) // files that were deleted before, and restored
	if err != nil {
		return err
	}
	bytes := -replaced
	for part := range slices.Chunk(archived, perStatement) {
		ids := make([]upload.ID, len(part))
		for i := range part {
			ids[i], bytes = part[i].ID, bytes+part[i].Size
		}
		_, err := s.db.From(ctx).NewRaw("INSERT INTO attachment_archive ("+archiveColumns+", kept_until) SELECT "+
			archiveColumns+", ? FROM attachments WHERE id IN (?)", until, bun.List(ids)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return s.addArchivedSpace(ctx, r, bytes)
}

// dropArchived deletes files from the archive if they are in it, and returns their total size in bytes.
func (s *Store) dropArchived(ctx context.Context, archived []upload.File) (bytes int64, err error) {
	for part := range slices.Chunk(archived, perStatement) {
		ids := make([]upload.ID, len(part))
		for i := range part {
			ids[i] = part[i].ID
		}
		var sizes []int64
		err := s.db.From(ctx).NewRaw("DELETE FROM attachment_archive WHERE id IN (?) RETURNING size", bun.List(ids)).
			Scan(ctx, &sizes)
		if err != nil {
			return 0, err
		}
		for _, n := range sizes {
			bytes += n
		}
	}
	return bytes, nil
}

// archived returns a query for archived files.
func (s *Store) archived(ctx context.Context, rows *[]row) *bun.SelectQuery {
	return s.db.From(ctx).NewSelect().Model(rows).ModelTableExpr("attachment_archive AS a").ExcludeColumn("unused_until")
}

// ArchivedUntil returns at most limit archived files of all realms that are kept until now or less, oldest first.
func (s *Store) ArchivedUntil(ctx context.Context, now time.Time, limit int) ([]upload.File, error) {
	var rows []row
	err := s.archived(ctx, &rows).Where("a.kept_until <= ?", now).Order("a.kept_until", "a.id").Limit(int64(limit)).
		Scan(ctx)
	return files(rows), err
}

// ArchivedOfRealm returns at most limit of a realm's archived files.
func (s *Store) ArchivedOfRealm(ctx context.Context, r realm.ID, limit int) ([]upload.File, error) {
	var rows []row
	err := s.archived(ctx, &rows).Where("a.realm_id = ?", r).Limit(int64(limit)).Scan(ctx)
	return files(rows), err
}

// archivedKeys returns at most limit archived files with blob keys greater than after, sorted by key in byte order.
func (s *Store) archivedKeys(ctx context.Context, after string, limit int) ([]upload.File, error) {
	var rows []row
	key := s.db.ByteOrder("a.blob_key")
	err := s.archived(ctx, &rows).Where(key+" > ?", after).OrderExpr(key).Limit(int64(limit)).Scan(ctx)
	return files(rows), err
}

// ExpireArchivedOf ends the time for which a user's archived files are kept.
func (s *Store) ExpireArchivedOf(ctx context.Context, u user.ID, now time.Time) error {
	_, err := s.db.From(ctx).NewRaw("UPDATE attachment_archive SET kept_until = ? WHERE owner_id = ? AND kept_until > ?",
		now, u, now).Exec(ctx)
	return err
}

// Unarchive deletes files of a realm from the archive, and returns those whose contents are no longer needed: all but
// files that were restored.
func (s *Store) Unarchive(ctx context.Context, r realm.ID, archived []upload.File) ([]upload.File, error) {
	if len(archived) == 0 {
		return nil, nil
	}
	bytes, err := s.dropArchived(ctx, archived)
	if err != nil {
		return nil, err
	}
	if err := s.addArchivedSpace(ctx, r, -bytes); err != nil {
		return nil, err
	}
	ids := make([]upload.ID, len(archived))
	for i := range archived {
		ids[i] = archived[i].ID
	}
	back, err := s.ByIDs(ctx, ids)
	return slices.DeleteFunc(slices.Clone(archived), func(f upload.File) bool {
		return slices.ContainsFunc(back, func(b upload.File) bool { return b.ID == f.ID })
	}), err
}

// addArchivedSpace adds bytes, which may be negative, to the total size of a realm's archived files.
func (s *Store) addArchivedSpace(ctx context.Context, r realm.ID, bytes int64) error {
	_, err := s.db.From(ctx).NewInsert().Model(&spaceRow{RealmID: r, Archived: bytes}).
		On("CONFLICT (realm_id) DO UPDATE").Set("archived = s.archived + EXCLUDED.archived").Exec(ctx)
	return err
}

// ArchivedSpace returns the total size of a realm's archived files in bytes.
func (s *Store) ArchivedSpace(ctx context.Context, r realm.ID) (int64, error) {
	var sum int64
	err := s.db.From(ctx).NewSelect().Model((*spaceRow)(nil)).Column("archived").Where("realm_id = ?", r).Scan(ctx, &sum)
	return sum, bunstore.IgnoreNoRows(err)
}
