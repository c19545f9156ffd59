package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Resumable is an upload in several requests.
type Resumable struct {
	bun.BaseModel `bun:"table:resumable_uploads,alias:u"`
	PathID        string `bun:",pk"`
	RealmID       realm.ID
	OwnerID       user.ID `person:"hook"`
	Key           string  // recorded at the start; earlier versions stored the first part there
	Name          string
	ContentType   string
	Size          int64 // total bytes
	Received      int64 // bytes stored so far
	Parts         int
	Done          bool // the upload has become an attachment
	ExpiresAt     time.Time
	LockToken     string // identifies the request that holds the lock; "" if none does
	Holder        string // the node of that request
}

// Part describes the data that one request has added to a resumable upload.
type Part struct {
	bun.BaseModel `bun:"table:resumable_parts,alias:p"`
	PathID        string `bun:",pk"`
	Number        int    `bun:",pk"`
	RealmID       realm.ID
	Key           string // key of the blob
	Size          int64  // bytes
}

// AddResumable starts an upload.
func (s *Store) AddResumable(ctx context.Context, r *Resumable) error {
	_, err := s.db.From(ctx).NewInsert().Model(r).Exec(ctx)
	return err
}

// Unfinished returns the number of a user's unfinished uploads.
func (s *Store) Unfinished(ctx context.Context, r realm.ID, u user.ID) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*Resumable)(nil)).Where("u.realm_id = ?", r).Where("u.owner_id = ?", u).
		Where("NOT u.done").Count(ctx)
}

// Reserved returns the total size in bytes of a realm's unfinished uploads, including bytes not received yet.
func (s *Store) Reserved(ctx context.Context, r realm.ID, now time.Time) (bytes int64, err error) {
	err = s.db.From(ctx).NewSelect().Model((*Resumable)(nil)).ColumnExpr("COALESCE(SUM(u.size), 0)").
		Where("u.realm_id = ?", r).Where("NOT u.done").Where("u.expires_at > ?", now).Scan(ctx, &bytes)
	return bytes, err
}

// Resumable returns an upload, or nil if it does not exist or has expired.
func (s *Store) Resumable(ctx context.Context, path string, now time.Time) (*Resumable, error) {
	var r Resumable
	return bunstore.OrNil(&r, s.db.From(ctx).NewSelect().Model(&r).Where("u.path_id = ?", path).
		Where("u.expires_at > ?", now).Scan(ctx))
}

// Lock acquires the lock of an upload for the request of a node that is identified by token. It reports false if a
// request of another living node holds the lock. Those of the same node exclude each other in memory.
func (s *Store) Lock(ctx context.Context, path, holder, token string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*Resumable)(nil)).Set("lock_token = ?", token).
		Set("holder = ?", holder).Where("path_id = ?", path).Where(bunstore.Free("holder"), holder).Exec(ctx))
}

// Unlock releases the lock of an upload if token holds it.
func (s *Store) Unlock(ctx context.Context, path, token string) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*Resumable)(nil)).Set("lock_token = ''").Set("holder = ''").
		Where("path_id = ?", path).Where("lock_token = ?", token).Exec(ctx)
	return err
}

// AddPart stores a part that begins at offset. It reports false if the request no longer holds the lock.
func (s *Store) AddPart(ctx context.Context, p *Part, offset int64, token string, expires time.Time) (bool, error) {
	ok, err := bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*Resumable)(nil)).
		Set("received = ?", offset+p.Size).Set("parts = ?", p.Number+1).
		Set("expires_at = ?", expires).Where("path_id = ?", p.PathID).Where("received = ?", offset).
		Where("parts = ?", p.Number).
		Where("lock_token = ?", token).Where("NOT done").Exec(ctx))
	if err != nil || !ok {
		return false, err
	}
	_, err = s.db.From(ctx).NewInsert().Model(p).Exec(ctx)
	return true, err
}

// Parts returns the parts of an upload, in order.
func (s *Store) Parts(ctx context.Context, path string) ([]Part, error) {
	var all []Part
	err := s.db.From(ctx).NewSelect().Model(&all).Where("p.path_id = ?", path).Order("p.number").Scan(ctx)
	return all, err
}

// Complete marks an upload as complete and deletes its parts. It reports false if the request no longer holds the lock.
func (s *Store) Complete(ctx context.Context, path, token string) (bool, error) {
	ok, err := bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*Resumable)(nil)).Set("done = ?", true).
		Where("path_id = ?", path).Where("lock_token = ?", token).Where("NOT done").Exec(ctx))
	if err != nil || !ok {
		return false, err
	}
	return true, s.dropParts(ctx, path)
}

// DropResumable deletes an upload.
func (s *Store) DropResumable(ctx context.Context, path string) error {
	if err := s.dropParts(ctx, path); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewDelete().Model((*Resumable)(nil)).Where("path_id = ?", path).Exec(ctx)
	return err
}

// DropResumablesOf deletes a user's uploads, and returns the keys of the blobs of those that are unfinished.
func (s *Store) DropResumablesOf(ctx context.Context, u user.ID) ([]string, error) {
	var all []Resumable
	if err := s.db.From(ctx).NewSelect().Model(&all).Where("u.owner_id = ?", u).Scan(ctx); err != nil {
		return nil, err
	}
	var keys []string
	for i := range all {
		if !all[i].Done {
			parts, err := s.Parts(ctx, all[i].PathID)
			if err != nil {
				return nil, err
			}
			keys = append(keys, all[i].Key)
			for _, p := range parts {
				keys = append(keys, p.Key)
			}
		}
		if err := s.DropResumable(ctx, all[i].PathID); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

func (s *Store) dropParts(ctx context.Context, path string) error {
	_, err := s.db.From(ctx).NewDelete().Model((*Part)(nil)).Where("path_id = ?", path).Exec(ctx)
	return err
}

// Expired returns the path IDs of at most limit expired uploads.
func (s *Store) Expired(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var paths []string
	err := s.db.From(ctx).NewSelect().Model((*Resumable)(nil)).Column("path_id").Where("u.expires_at <= ?", now).
		Order("u.expires_at").Limit(int64(limit)).Scan(ctx, &paths)
	return paths, err
}
