// Package files stores and serves uploaded files, checks access to them, and removes unreferenced files.
package files

import (
	"context"
	"crypto/rand"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/linksecret"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Config configures the service.
type Config struct {
	MaxFile    int64         // maximum bytes of one file
	KeepUnused time.Duration // how long unreferenced files are kept
}

// Needs are the dependencies of the service.
type Needs struct {
	Store     *store.Store
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Messages  ports.Messages
	Exported  kit.Query[message.InExport, []message.ID]
	Waiting   kit.Query[scheduled.Waiting, []scheduled.Message]
	Rerender  ports.Rerenderer
	Blobs     ports.Blobs
	Clock     ports.Clock
	Sealer    ports.Sealer
	Secrets   linksecret.Rows
	// Probe returns the dimensions of a stored image. It reads only the header.
	Probe func(ctx context.Context, key, contentType string) (upload.Image, error)
	// ThumbnailQueued is called after a commit that queues an image for its thumbnails.
	ThumbnailQueued func(ctx context.Context)
	Metrics         *ports.Metrics
}

// Service manages uploaded files.
type Service struct {
	Needs
	cfg       Config
	secret    *linksecret.Store
	downloads downloadCounter
	m         measures
}

// New returns the service.
func New(cfg Config, n Needs) *Service {
	return &Service{Needs: n, cfg: cfg, m: measure(n.Metrics, n.Store), secret: &linksecret.Store{
		Purpose: "uploads", Table: "upload_secret", Sealer: n.Sealer, Work: n.Work, Rows: n.Secrets,
	}}
}

// Endpoints returns the routes.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.POST("/user_uploads", kit.Users, s.post, "Uploads a file.").Operation("uploadFile").Upload(s.cfg.MaxFile),
		kit.GET("/user_uploads/:realm_id/:filename+", kit.Users, s.temporaryURL,
			"Returns a temporary URL from which a file can be downloaded without login.").
			Operation("getTemporaryFileURL"),
		kit.GET("/attachments", kit.Users, s.list, "Lists the caller's files."),
		kit.DELETE("/attachments/:attachment_id", kit.Users, s.remove, "Deletes a file of the caller."),
		kit.GET("/user_uploads/:path_id+", kit.Spectators, s.show, "Serves an uploaded file.").Operation("getFile").
			AtRoot().Rate(kit.RateFiles),
		kit.GET("/user_uploads/download/:path_id+", kit.Spectators, s.downloadFile,
			"Serves an uploaded file for download.").Operation("downloadFile").AtRoot().Rate(kit.RateFiles),
		kit.GET("/user_uploads/temporary/:token/:filename", kit.Anyone, s.byToken,
			"Serves an uploaded file at its temporary URL.").Operation("getTemporaryFile").AtRoot().Rate(kit.RateFiles),
	}
}

// uploadTimeout is the time limit for uploading a blob and creating its file, after which the blob is removed.
const uploadTimeout = 24 * time.Hour

// Slot holds the names of a file that is being uploaded.
type Slot struct {
	PathID string
	Key    string // key of the blob
	Name   string // display name
}

// Begin chooses the names of a new file. Its blob is removed after keep unless Create is called before. Begin must not
// be called inside Do.
func (s *Service) Begin(ctx context.Context, by user.Actor, name string, keep time.Duration) (Slot, error) {
	var random [upload.RandomBytes]byte
	_, _ = rand.Read(random[:]) // never fails
	name = upload.DisplayName(name)
	slot := Slot{
		PathID: upload.PathID(by.Realm, random, upload.PathName(norm.NFKC.String(name))), Key: upload.Key(by.Realm, random),
		Name: name,
	}
	return slot, s.Work.Do(ctx, func(ctx context.Context) error {
		return s.Store.AddBlobs(ctx, by.Realm, s.Clock.Now().Add(keep), slot.Key)
	})
}

// Finished describes a completely uploaded file.
type Finished struct {
	Slot
	ContentType string // see upload.ContentType
	Size        int64  // bytes
	Image       upload.Image
	Reserved    bool // the file's space was reserved
}

// Create creates a file from an uploaded blob and notifies its owner. It joins an open unit of work. Errors:
// UploadQuota; Unavailable if the blob's time limit has passed.
func (s *Service) Create(ctx context.Context, by user.Actor, in Finished) (*upload.File, error) {
	f, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (*upload.File, error) {
		f := &upload.File{
			Realm: by.Realm, Owner: by.User, PathID: in.PathID, Name: in.Name, Size: in.Size, ContentType: in.ContentType,
			Key: in.Key, CreatedAt: s.Clock.Now(), Image: in.Image,
		}
		if _, err := s.Log.Lock(ctx, by.Realm); err != nil {
			return nil, err
		}
		taken, err := s.Store.TakeBlob(ctx, in.Key)
		if err != nil {
			return nil, err
		}
		if !taken {
			return nil, errTooSlow()
		}
		used, err := s.Store.AddSpace(ctx, by.Realm, f.Size)
		if err != nil {
			return nil, err
		}
		if in.Reserved {
			err = s.CheckQuota(ctx, by.Realm, 0)
		} else {
			err = s.fitsBeside(ctx, by, used-f.Size, f.Size)
		}
		if err != nil {
			return nil, err
		}
		if err := s.Store.Insert(ctx, f, f.CreatedAt.Add(s.cfg.KeepUnused)); err != nil {
			return nil, err
		}
		if f.Image.Thumbnail == upload.ThumbnailPending {
			if err := s.Store.QueueThumbnail(ctx, f); err != nil {
				return nil, err
			}
			s.Work.AfterCommit(ctx, s.ThumbnailQueued)
		}
		return f, s.Log.Append(ctx, added.To(by.Realm, event.To(by.User), fileAdded{describe(f, []message.ID{}), used}))
	})
	if err == nil {
		s.m.uploads.Add(1, "ok")
		s.m.bytes.Add(int(f.Size))
	}
	return f, err
}

func errTooSlow() error {
	return errs.New(errs.Unavailable, "The upload took too long; please try again.")
}

func idsOf(files []upload.File) []upload.ID {
	ids := make([]upload.ID, len(files))
	for i := range files {
		ids[i] = files[i].ID
	}
	return ids
}
