package files

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
)

// keepDeleted is how long the contents of a file are kept after its last message was deleted. It equals the time that
// the message stays in the archive.
const keepDeleted = 30 * 24 * time.Hour

// removeUnreferenced deletes files of a realm that have lost their last message. From then on, they are missing for
// everybody, but kept in the archive as long as the message. They do not count toward the quota. To prevent them from
// filling the disk nevertheless, the archive holds at most as many bytes as the quota allows; files that exceed it, and
// those of owners whose data has been deleted, are not kept. The caller must hold the realm's lock.
func (s *Service) removeUnreferenced(ctx context.Context, r realm.ID, files []upload.File) error {
	if len(files) == 0 {
		return nil
	}
	total, v, err := s.quota(ctx, r)
	if err != nil {
		return err
	}
	used, err := s.Store.ArchivedSpace(ctx, r)
	if err != nil {
		return err
	}
	var kept, rest []upload.File
	for i := range files {
		f := files[i]
		owner := v.User(f.Owner)
		if owner == nil || owner.Forgotten() || total != noQuota && used+f.Size > total {
			rest = append(rest, f)
			continue
		}
		kept, used = append(kept, f), used+f.Size
	}
	if err := s.Store.Archive(ctx, r, kept, s.Clock.Now().Add(keepDeleted)); err != nil {
		return err
	}
	return s.delete(ctx, r, files, rest)
}

// emptyArchive deletes files that have been in the archive for keepDeleted, with their contents.
func (s *Service) emptyArchive(ctx context.Context) error {
	for ctx.Err() == nil {
		due, err := s.Store.ArchivedUntil(ctx, s.Clock.Now(), removeBatch)
		if err != nil || len(due) == 0 {
			return err
		}
		for r, files := range byRealm(due) {
			err := s.Work.Do(ctx, func(ctx context.Context) error {
				if _, err := s.Log.Lock(ctx, r); err != nil {
					return err
				}
				gone, err := s.Store.Unarchive(ctx, r, files)
				if err != nil {
					return err
				}
				s.RemoveSoon(ctx)
				return s.Store.AddBlobs(ctx, r, s.Clock.Now(), keysOf(gone)...)
			})
			if err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func byRealm(files []upload.File) map[realm.ID][]upload.File {
	by := map[realm.ID][]upload.File{}
	for _, f := range files {
		by[f.Realm] = append(by[f.Realm], f)
	}
	return by
}

// keysOf returns the keys of the files' blobs and thumbnails.
func keysOf(files []upload.File) []string {
	var keys []string
	for i := range files {
		keys = append(keys, upload.Keys(&files[i])...)
	}
	return keys
}
