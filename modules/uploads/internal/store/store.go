// Package store accesses the tables of uploaded files.
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

// Store accesses the tables.
type Store struct{ db *bunstore.DB }

// New returns a store that uses the given database.
func New(db *bunstore.DB) *Store { return &Store{db} }

// perStatement is the maximum number of values in one statement.
const perStatement = 1000

type row struct {
	bun.BaseModel `bun:"table:attachments,alias:a"`
	ID            upload.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	OwnerID       user.ID                `export:"yes" person:"hook"`
	PathID        string                 `export:"yes"`
	Name          string                 `export:"yes"`
	Size          int64                  `export:"yes"`
	ContentType   string                 `export:"yes"`
	BlobKey       string                 `export:"no"`
	CreatedAt     time.Time              `export:"yes"`
	UnusedUntil   *time.Time             `export:"no"`
	Width         *int                   `export:"no"`
	Height        *int                   `export:"no"`
	Animated      *bool                  `export:"no"`
	Thumbnail     *upload.ThumbnailState `export:"no"`
	Transcoded    *string                `export:"no"`
}

func (r *row) file() upload.File {
	f := upload.File{
		ID: r.ID, Realm: r.RealmID, Owner: r.OwnerID, PathID: r.PathID, Name: r.Name, Size: r.Size,
		ContentType: r.ContentType, Key: r.BlobKey, CreatedAt: r.CreatedAt,
	}
	if r.Width != nil && r.Height != nil {
		f.Image.Width, f.Image.Height = *r.Width, *r.Height
	}
	if r.Animated != nil {
		f.Image.Animated = *r.Animated
	}
	if r.Thumbnail != nil {
		f.Image.Thumbnail = *r.Thumbnail
	}
	if r.Transcoded != nil {
		f.Image.Transcoded = *r.Transcoded
	}
	return f
}

func files(rows []row) []upload.File {
	out := make([]upload.File, len(rows))
	for i := range rows {
		out[i] = rows[i].file()
	}
	return out
}

// Insert stores a file and sets its ID. The file is removed at unusedUntil unless a message refers to it by then.
func (s *Store) Insert(ctx context.Context, f *upload.File, unusedUntil time.Time) error {
	r := row{
		RealmID: f.Realm, OwnerID: f.Owner, PathID: f.PathID, Name: f.Name, Size: f.Size, ContentType: f.ContentType,
		BlobKey: f.Key, CreatedAt: f.CreatedAt, UnusedUntil: &unusedUntil,
	}
	if f.Image.Width > 0 {
		i := f.Image
		r.Width, r.Height, r.Animated, r.Thumbnail, r.Transcoded = &i.Width, &i.Height, &i.Animated, &i.Thumbnail,
			&i.Transcoded
	}
	return s.db.From(ctx).NewInsert().Model(&r).ExcludeColumn("id").Returning("id").Scan(ctx, &f.ID)
}

// ByPath returns the file of a realm with the path ID path, or nil.
func (s *Store) ByPath(ctx context.Context, r realm.ID, path string) (*upload.File, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("a.path_id = ?", path).Where("a.realm_id = ?", r)
	})
}

// ByPaths returns the files of a realm with the given path IDs. Missing files are omitted.
func (s *Store) ByPaths(ctx context.Context, r realm.ID, paths []string) ([]upload.File, error) {
	var out []upload.File
	for part := range slices.Chunk(paths, perStatement) {
		var rows []row
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("a.path_id IN (?)", bun.List(part)).
			Where("a.realm_id = ?", r).Order("a.id").Scan(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, files(rows)...)
	}
	return out, nil
}

// ByIDs returns the files with the given IDs. Missing files are omitted.
func (s *Store) ByIDs(ctx context.Context, ids []upload.ID) ([]upload.File, error) {
	var out []upload.File
	for part := range slices.Chunk(ids, perStatement) {
		var rows []row
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("a.id IN (?)", bun.List(part)).Order("a.id").Scan(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, files(rows)...)
	}
	return out, nil
}

// Owned returns at most limit of a user's newest files, oldest first.
func (s *Store) Owned(ctx context.Context, u user.ID, limit int) ([]upload.File, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).
		Where("a.owner_id = ?", u).Order("a.id DESC").Limit(int64(limit)).Scan(ctx)
	slices.Reverse(rows)
	return files(rows), err
}

// ByID returns the file of a realm with the ID id, or nil.
func (s *Store) ByID(ctx context.Context, r realm.ID, id upload.ID) (*upload.File, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("a.id = ?", id).Where("a.realm_id = ?", r)
	})
}

func (s *Store) one(ctx context.Context, which func(*bun.SelectQuery) *bun.SelectQuery) (*upload.File, error) {
	var r row
	found, err := bunstore.Found(which(s.db.From(ctx).NewSelect().Model(&r)).Scan(ctx))
	if !found {
		return nil, err
	}
	f := r.file()
	return &f, nil
}

type spaceRow struct {
	bun.BaseModel `bun:"table:upload_space,alias:s"`
	RealmID       realm.ID `bun:",pk"`
	Bytes         int64
	Archived      int64 // bytes in attachment_archive, which do not count toward the quota
}

// AddSpace adds bytes, which may be negative, to the total size of a realm's files and returns the new total. It locks
// the realm's row until the end of the transaction.
func (s *Store) AddSpace(ctx context.Context, r realm.ID, bytes int64) (int64, error) {
	var sum int64
	err := s.db.From(ctx).NewInsert().Model(&spaceRow{RealmID: r, Bytes: bytes}).
		On("CONFLICT (realm_id) DO UPDATE").Set("bytes = s.bytes + EXCLUDED.bytes").Returning("bytes").Scan(ctx, &sum)
	return sum, err
}

// Space returns the total size of a realm's files in bytes.
func (s *Store) Space(ctx context.Context, r realm.ID) (int64, error) {
	var sum int64
	err := s.db.From(ctx).NewSelect().Model((*spaceRow)(nil)).Column("bytes").Where("realm_id = ?", r).Scan(ctx, &sum)
	return sum, bunstore.IgnoreNoRows(err)
}

// SpaceOfAll returns the bytes of all realms' files, and of those in the archive.
func (s *Store) SpaceOfAll(ctx context.Context) (files, archive int64, err error) {
	err = s.db.From(ctx).NewSelect().Model((*spaceRow)(nil)).
		ColumnExpr("coalesce(sum(bytes), 0)").ColumnExpr("coalesce(sum(archived), 0)").Scan(ctx, &files, &archive)
	return files, archive, err
}

// SpaceOf returns the total size in bytes of users' files and unfinished uploads.
func (s *Store) SpaceOf(ctx context.Context, r realm.ID, owners []user.ID, now time.Time) (int64, error) {
	var files, unfinished int64
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).ColumnExpr("COALESCE(SUM(a.size), 0)").
		Where("a.owner_id IN (?)", bun.List(owners)).Scan(ctx, &files)
	if err != nil {
		return 0, err
	}
	err = s.db.From(ctx).NewSelect().Model((*Resumable)(nil)).ColumnExpr("COALESCE(SUM(u.size), 0)").
		Where("u.realm_id = ?", r).Where("u.owner_id IN (?)", bun.List(owners)).
		Where("NOT u.done").Where("u.expires_at > ?", now).Scan(ctx, &unfinished)
	return files + unfinished, err
}

// OfRealm returns at most limit of a realm's files.
func (s *Store) OfRealm(ctx context.Context, r realm.ID, limit int) ([]upload.File, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("a.realm_id = ?", r).Order("a.id").Limit(int64(limit)).Scan(ctx)
	return files(rows), err
}

// After returns at most limit files of a realm with IDs greater than after, sorted by ID.
func (s *Store) After(ctx context.Context, r realm.ID, after upload.ID, limit int) ([]upload.File, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("a.realm_id = ?", r).
		Where("a.id > ?", after).Order("a.id").Limit(int64(limit)).Scan(ctx)
	return files(rows), err
}

// Delete removes files with their references.
func (s *Store) Delete(ctx context.Context, ids []upload.ID) error {
	if err := s.RemoveScheduledRefsTo(ctx, ids); err != nil {
		return err
	}
	for part := range slices.Chunk(ids, perStatement) {
		q := s.db.From(ctx).NewDelete().Model((*Ref)(nil)).Where("attachment_id IN (?)", bun.List(part))
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
		if _, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id IN (?)", bun.List(part)).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
