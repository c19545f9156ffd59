package files

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
)

// maxImported is the maximum size of an imported file in bytes, which is never reached in practice.
const maxImported = 1 << 50

// Import implements ports.FileImport.
func (s *Service) Import(
	ctx context.Context, r realm.ID, owner user.ID, name, contentType string, created time.Time, body io.Reader,
	then func(ctx context.Context, pathID string) error,
) error {
	slot, err := s.Begin(ctx, user.Actor{Realm: r, User: owner}, name, uploadTimeout)
	if err != nil {
		return err
	}
	kind := upload.ContentType(contentType, slot.Name)
	var text charset
	info, err := s.Blobs.Put(ctx, slot.Key, io.TeeReader(body, &text), maxImported)
	if upload.LacksCharset(kind) {
		kind = "text/plain; charset=" + text.name()
	}
	if err == nil {
		err = s.createImported(ctx, &upload.File{
			Realm: r, Owner: owner, PathID: slot.PathID, Name: slot.Name, Size: info.Size, ContentType: kind, Key: slot.Key,
			CreatedAt: created,
		}, then)
	}
	if err != nil {
		s.Abandon(ctx, r, slot.Key)
	}
	return err
}

// createImported creates a file from an uploaded blob, without regard to the quota.
func (s *Service) createImported(
	ctx context.Context, f *upload.File, then func(ctx context.Context, pathID string) error,
) error {
	var err error
	if f.Image, err = s.Probe(ctx, f.Key, f.ContentType); err != nil {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, f.Realm); err != nil {
			return err
		}
		taken, err := s.Store.TakeBlob(ctx, f.Key)
		if err == nil && !taken {
			err = errTooSlow()
		}
		if err != nil {
			return err
		}
		if _, err := s.Store.AddSpace(ctx, f.Realm, f.Size); err != nil {
			return err
		}
		if err := s.Store.Insert(ctx, f, s.Clock.Now().Add(max(s.cfg.KeepUnused, uploadTimeout))); err != nil {
			return err
		}
		if f.Image.Thumbnail == upload.ThumbnailPending {
			if err := s.Store.QueueThumbnail(ctx, f); err != nil {
				return err
			}
			s.Work.AfterCommit(ctx, s.ThumbnailQueued)
		}
		return then(ctx, f.PathID)
	})
}

// imported stores the references of imported messages. Their owners are not notified.
func (s *Service) imported(ctx context.Context, m *message.Imported) error {
	var paths []string
	for _, some := range m.Attachments {
		paths = append(paths, some...)
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	files, err := s.Store.ByPaths(ctx, m.Realm, slices.Compact(paths))
	if err != nil {
		return err
	}
	by := byPath(files)
	var refs []store.Ref
	for id, some := range m.Attachments {
		for _, p := range some {
			if f := by[p]; f != nil {
				refs = append(refs, store.Ref{File: f.ID, Message: id, Realm: m.Realm})
			}
		}
	}
	if len(refs) == 0 {
		return nil
	}
	if err := s.Store.AddRefs(ctx, refs); err != nil {
		return err
	}
	return s.Store.KeepReferenced(ctx, idsOf(files))
}
