package files

import (
	"context"
	"io"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type postReq struct {
	File kit.File `file:"file"`
}

type postRes struct {
	URL  string `json:"url"`
	URI  string `json:"uri"` // the older name
	Name string `json:"filename"`
}

// post handles POST /user_uploads. Errors: BadRequest, UploadQuota, Unavailable.
func (s *Service) post(ctx context.Context, a kit.Actor, in postReq) (postRes, error) {
	f, err := s.storeFile(ctx, a, in.File)
	if err != nil {
		return postRes{}, err
	}
	return postRes{URL: f.URL(), URI: f.URL(), Name: f.Name}, nil
}

// StoreFile implements ports.Files.
func (s *Service) StoreFile(
	ctx context.Context, by user.Actor, name, contentType string, body io.Reader,
) (url, shown string, err error) {
	f, err := s.storeFile(ctx, by, kit.File{Reader: body, Name: name, Type: contentType})
	if err != nil {
		return "", "", err
	}
	return f.URL(), f.Name, nil
}

// storeFile stores one file. Errors: BadRequest, UploadQuota, Unavailable.
func (s *Service) storeFile(ctx context.Context, a kit.Actor, in kit.File) (*upload.File, error) {
	free, err := s.freeSpace(ctx, a)
	if err == nil && free.bytes <= 0 {
		err = free.exceeded
	}
	if err != nil {
		return nil, err
	}
	slot, err := s.Begin(ctx, a, in.Name, uploadTimeout)
	if err != nil {
		return nil, err
	}
	f, err := s.receive(ctx, a, slot, in, free)
	if err != nil {
		s.m.uploads.Add(1, "failed")
		s.Abandon(ctx, a.Realm, slot.Key)
		return nil, err
	}
	return f, nil
}

// receive stores the contents of a file and creates it.
func (s *Service) receive(ctx context.Context, a kit.Actor, slot Slot, in kit.File, free space) (*upload.File, error) {
	kind := upload.ContentType(in.Type, slot.Name)
	var r io.Reader = in
	var text charset
	if upload.LacksCharset(kind) {
		r = io.TeeReader(in, &text)
	}
	info, err := s.Blobs.Put(ctx, slot.Key, r, min(free.bytes, s.cfg.MaxFile))
	if errs.Is(err, errs.TooLarge) { // the HTTP server enforces the size limit of a file
		return nil, free.exceeded
	}
	if err != nil {
		return nil, err
	}
	if upload.LacksCharset(kind) {
		kind = "text/plain; charset=" + text.name()
	}
	img, err := s.Probe(ctx, slot.Key, kind)
	if err != nil {
		return nil, err
	}
	return s.Create(ctx, a, Finished{Slot: slot, ContentType: kind, Size: info.Size, Image: img})
}

// Abandon removes the blob of a failed upload, even if ctx is canceled.
func (s *Service) Abandon(ctx context.Context, r realm.ID, key string) {
	ctx = context.WithoutCancel(ctx)
	_ = s.Work.Do(ctx, func(ctx context.Context) error { // on failure, the blob is removed when it expires
		return s.Store.AddBlobs(ctx, r, s.Clock.Now(), key)
	})
	s.removeSome(ctx)
}

// RemoveSoon removes due blobs after the unit of work has committed. If that fails, the job removes them.
func (s *Service) RemoveSoon(ctx context.Context) { s.Work.AfterCommit(ctx, s.removeSome) }

const (
	removeBatch  = 200             // maximum number of blobs removed at once
	removeWithin = 2 * time.Second // time for removing blobs in a request, perhaps after waiting for the store
)

// removeSome removes a batch of due blobs in a request. The job removes the others: after an outage of the store there
// may be very many, and they are not this caller's.
func (s *Service) removeSome(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, removeWithin)
	defer cancel()
	_, _ = s.removeDue(ctx) // on failure, the job tries again
}

// removeBlobs is the job that removes all blobs that are due for removal.
func (s *Service) removeBlobs(ctx context.Context) error {
	for ctx.Err() == nil {
		if more, err := s.removeDue(ctx); err != nil || !more {
			return err
		}
	}
	return ctx.Err()
}

// removeDue removes a batch of due blobs, and reports whether there were any.
func (s *Service) removeDue(ctx context.Context) (more bool, err error) {
	keys, err := kit.Tx(ctx, s.Work, func(ctx context.Context) ([]string, error) {
		return s.Store.DueBlobs(ctx, s.Clock.Now(), removeBatch)
	})
	if err != nil || len(keys) == 0 {
		return false, err
	}
	if err := s.Blobs.Delete(ctx, keys...); err != nil {
		return false, err
	}
	return true, s.Work.Do(ctx, func(ctx context.Context) error { return s.Store.DeleteKeys(ctx, keys) })
}
