package tus

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tus/tusd/v2/pkg/handler"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/uploads/internal/files"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
	"github.com/stoachat/stoa/ports"
)

// request implements the store and the locker that tusd uses for one HTTP request.
type request struct {
	*Service
	actor   user.Actor
	token   string       // identifies the request as the holder of a lock
	arrival int64        // the position of the request among those of this node
	file    *upload.File // the file that the request has completed; nil if it has not
	own     *holder      // nil until the request holds a lock
}

// toTusError converts an error to one that tusd sends to the client. It hides the text of internal errors.
func toTusError(err error) error {
	var tusErr handler.Error
	var e *errs.Error
	switch {
	case err == nil || errors.As(err, &tusErr):
		return err
	case !errors.As(err, &e):
		return handler.NewError("ERR_INTERNAL", "Internal server error", http.StatusInternalServerError)
	}
	status := http.StatusUnprocessableEntity
	switch e.Code {
	case errs.TooLarge, errs.UploadQuota:
		status = http.StatusRequestEntityTooLarge
	case errs.NotFound:
		status = http.StatusNotFound
	case errs.Unavailable:
		status = http.StatusServiceUnavailable
	case errs.Unauthorized:
		status = http.StatusUnauthorized
	}
	return handler.NewError(string(e.Code), e.Msg, status)
}

// NewUpload implements handler.DataStore: it starts an upload.
func (x *request) NewUpload(ctx context.Context, info handler.FileInfo) (handler.Upload, error) {
	u, err := x.begin(ctx, info)
	return u, toTusError(err)
}

func (x *request) begin(ctx context.Context, info handler.FileInfo) (handler.Upload, error) {
	if err := x.reserve(ctx, info.Size); err != nil { // before anything is stored
		return nil, err
	}
	display := upload.DisplayName(url.PathEscape(info.MetaData["filename"]))
	slot, err := x.Files.Begin(ctx, x.actor, pathName(display), idleLifetime)
	if err != nil {
		return nil, err
	}
	r := &store.Resumable{
		PathID: slot.PathID, RealmID: x.actor.Realm, OwnerID: x.actor.User, Key: slot.Key, Name: display,
		ContentType: upload.ContentType(info.MetaData["filetype"], display), Size: info.Size,
		ExpiresAt: x.Clock.Now().Add(idleLifetime),
	}
	return &resumable{x, r}, x.Work.Do(ctx, func(ctx context.Context) error {
		if err := x.reserve(ctx, r.Size); err != nil {
			return err
		}
		return x.Store.AddResumable(ctx, r)
	})
}

// reserve checks that the user can start another upload. Unfinished uploads count with their full size, so that users
// cannot start more uploads than fit in the quota. Errors: UploadQuota; ERR_TOO_MANY.
func (x *request) reserve(ctx context.Context, bytes int64) error {
	n, err := x.Store.Unfinished(ctx, x.actor.Realm, x.actor.User)
	if err != nil {
		return err
	}
	if n >= maxUnfinished {
		return handler.NewError("ERR_TOO_MANY", "You have too many unfinished uploads; finish or cancel some of them.",
			http.StatusTooManyRequests)
	}
	return x.Work.Do(ctx, func(ctx context.Context) error { return x.Files.Reserve(ctx, x.actor, bytes) })
}

// pathName removes all characters from a name except ASCII letters, digits, spaces and "_.-", because the name becomes
// part of the upload's URL.
func pathName(display string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '.' || r == '-' || r == ' ' ||
			r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, display)
}

// find returns an upload of the caller. Errors: handler.ErrNotFound, both for missing uploads and for those of other
// users.
func (x *request) find(ctx context.Context, id string) (*store.Resumable, error) {
	if !upload.CheckPathID(x.actor.Realm, id) {
		return nil, handler.ErrNotFound
	}
	r, err := x.Store.Resumable(ctx, id, x.Clock.Now())
	if err != nil {
		return nil, err
	}
	if r == nil || r.RealmID != x.actor.Realm || r.OwnerID != x.actor.User {
		return nil, handler.ErrNotFound
	}
	return r, nil
}

// GetUpload implements handler.DataStore. If all data has been received but the upload could not be completed,
// GetUpload tries again.
func (x *request) GetUpload(ctx context.Context, id string) (handler.Upload, error) {
	r, err := x.find(ctx, id)
	if err != nil {
		return nil, toTusError(err)
	}
	u := &resumable{x, r}
	if r.Received == r.Size && !r.Done {
		err = u.FinishUpload(ctx)
	}
	return u, err
}

// AsTerminatableUpload implements handler.TerminaterDataStore.
func (x *request) AsTerminatableUpload(u handler.Upload) handler.TerminatableUpload {
	return u.(*resumable)
}

// resumable is an upload that a request works on.
type resumable struct {
	*request
	r *store.Resumable
}

// GetInfo implements handler.Upload.
func (u *resumable) GetInfo(context.Context) (handler.FileInfo, error) {
	return handler.FileInfo{
		ID: u.r.PathID, Size: u.r.Size, Offset: u.r.Received,
		MetaData: handler.MetaData{"filename": u.r.Name, "filetype": u.r.ContentType},
	}, nil
}

// GetReader implements handler.Upload; tusd calls it only for downloads, which are disabled.
func (u *resumable) GetReader(context.Context) (io.ReadCloser, error) {
	return nil, handler.ErrNotImplemented
}

// WriteChunk implements handler.Upload: it stores the body of a request. If the connection breaks, it stores the bytes
// received so far.
func (u *resumable) WriteChunk(ctx context.Context, offset int64, src io.Reader) (int64, error) {
	u.mu.Lock()
	if u.own != nil {
		u.own.reading = true
	}
	u.mu.Unlock()
	n, err := u.write(ctx, offset, src)
	return n, toTusError(err)
}

func (u *resumable) write(ctx context.Context, offset int64, src io.Reader) (int64, error) {
	if u.r.Parts >= maxParts {
		return 0, errs.New(errs.TooLarge, "The upload has too many parts; upload the file again in larger ones.")
	}
	if err := u.Files.CheckQuota(ctx, u.r.RealmID, u.r.Size); err != nil {
		return 0, err
	}
	// Each request writes to a new key, because one that has lost the lock must not overwrite a recorded part.
	slot, err := u.Files.Begin(ctx, u.actor, "part", idleLifetime)
	if err != nil {
		return 0, err
	}
	n, err := u.writePart(ctx, slot.Key, offset, src)
	if n == 0 {
		u.Files.Abandon(ctx, u.r.RealmID, slot.Key)
	}
	return n, err
}

// writePart stores and records a part. It returns 0 if the part was not recorded.
func (u *resumable) writePart(ctx context.Context, key string, offset int64, src io.Reader) (int64, error) {
	info, err := u.Blobs.Put(ctx, key, src, u.r.Size-offset)
	if err != nil || info.Size == 0 {
		return 0, err
	}
	// Renewing updates the keys of all parts, so it is done only once per perRenewal.
	expires := u.r.ExpiresAt
	renewed := u.Clock.Now().Add(idleLifetime)
	renew := renewed.Sub(expires) > perRenewal
	if renew {
		expires = renewed
	}
	part := &store.Part{PathID: u.r.PathID, Number: u.r.Parts, RealmID: u.r.RealmID, Key: key, Size: info.Size}
	err = u.Work.Do(ctx, func(ctx context.Context) error {
		ok, err := u.Store.AddPart(ctx, part, offset, u.token, expires)
		if err != nil {
			return err
		}
		if !ok {
			return handler.ErrFileLocked // another request has acquired the lock
		}
		if !renew {
			return nil
		}
		parts, err := u.Store.Parts(ctx, u.r.PathID)
		if err != nil {
			return err
		}
		return u.Store.AddBlobs(ctx, u.r.RealmID, expires, keysOf(parts)...)
	})
	if err != nil {
		return 0, err
	}
	u.r.Received, u.r.Parts, u.r.ExpiresAt = offset+info.Size, u.r.Parts+1, expires
	return info.Size, nil
}

func keysOf(parts []store.Part) []string {
	keys := make([]string, len(parts))
	for i, p := range parts {
		keys[i] = p.Key
	}
	return keys
}

// FinishUpload implements handler.Upload: it turns the received bytes into a file.
func (u *resumable) FinishUpload(ctx context.Context) error { return toTusError(u.complete(ctx)) }

func (u *resumable) complete(ctx context.Context) error {
	// An empty file is complete from the start, before tusd has locked it.
	ctx, node, done := u.Node.Hold(ctx)
	defer done()
	if ok, err := u.acquireLock(ctx, u.r.PathID, node); err != nil || !ok {
		return errors.Join(err, handler.ErrFileLocked)
	}
	parts, err := u.Store.Parts(ctx, u.r.PathID)
	if err != nil {
		return err
	}
	if len(parts) == 1 {
		return u.record(ctx, parts[0].Key, parts)
	}
	// Check the quota before copying, because clients may retry the completion any number of times.
	if err := u.Files.CheckQuota(ctx, u.r.RealmID, u.r.Size); err != nil {
		return err
	}
	slot, err := u.Files.Begin(ctx, u.actor, "whole", idleLifetime)
	if err != nil {
		return err
	}
	if err = u.join(ctx, slot.Key, parts); err == nil {
		err = u.record(ctx, slot.Key, parts)
	}
	if err != nil {
		u.Files.Abandon(ctx, u.r.RealmID, slot.Key)
	}
	return err
}

// record creates the file from the blob with its contents, and ends the upload.
func (u *resumable) record(ctx context.Context, key string, parts []store.Part) error {
	img, err := u.Probe(ctx, key, u.r.ContentType)
	if err != nil {
		return err
	}
	u.file, err = kit.Tx(ctx, u.Work, func(ctx context.Context) (*upload.File, error) {
		if ok, err := u.Store.Complete(ctx, u.r.PathID, u.token); err != nil || !ok {
			return nil, errors.Join(err, handler.ErrFileLocked)
		}
		if len(parts) > 1 {
			if err := u.Store.AddBlobs(ctx, u.r.RealmID, u.Clock.Now(), keysOf(parts)...); err != nil {
				return nil, err
			}
			u.Files.RemoveSoon(ctx)
		}
		return u.Files.Create(ctx, u.actor, files.Finished{
			Slot: files.Slot{PathID: u.r.PathID, Key: key, Name: u.r.Name}, ContentType: u.r.ContentType, Size: u.r.Size,
			Image: img, Reserved: true,
		})
	})
	return err
}

// join stores the parts as one blob.
func (u *resumable) join(ctx context.Context, key string, parts []store.Part) error {
	all := &partsReader{ctx: ctx, u: u, parts: parts}
	defer all.close()
	info, err := u.Blobs.Put(ctx, key, all, u.r.Size)
	if err == nil && info.Size != u.r.Size {
		err = errs.New(errs.Unavailable, "A part of the file is missing.")
	}
	return err
}

// partsReader reads the parts one after the other.
type partsReader struct {
	ctx     context.Context
	u       *resumable
	parts   []store.Part
	current io.ReadCloser
}

// Read implements io.Reader.
func (pr *partsReader) Read(p []byte) (int, error) {
	for {
		if pr.current == nil {
			if len(pr.parts) == 0 {
				return 0, io.EOF
			}
			r, _, err := pr.u.Blobs.Open(pr.ctx, pr.parts[0].Key, 0, -1)
			if err != nil {
				return 0, err
			}
			pr.current, pr.parts = r, pr.parts[1:]
		}
		ports.Progressed(pr.ctx)
		n, err := pr.current.Read(p)
		if errors.Is(err, io.EOF) {
			pr.close()
			err = nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (pr *partsReader) close() {
	if pr.current != nil {
		_ = pr.current.Close() // only read from
		pr.current = nil
	}
}

// Terminate implements handler.TerminatableUpload.
func (u *resumable) Terminate(ctx context.Context) error {
	if u.r.Done {
		return handler.NewError("ERR_COMPLETE", "The upload is complete.", http.StatusConflict)
	}
	return toTusError(u.Work.Do(ctx, func(ctx context.Context) error {
		parts, err := u.Store.Parts(ctx, u.r.PathID)
		if err != nil {
			return err
		}
		if err := u.Store.AddBlobs(ctx, u.r.RealmID, u.Clock.Now(), append(keysOf(parts), u.r.Key)...); err != nil {
			return err
		}
		u.Files.RemoveSoon(ctx)
		return u.Store.DropResumable(ctx, u.r.PathID)
	}))
}
