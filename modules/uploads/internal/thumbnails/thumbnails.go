// Package thumbnails makes thumbnails of uploaded images, and serves them to everyone with access to the originals.
//
// The header of an image is read at upload. Later, a job makes its thumbnails and rerenders the messages that show it.
// It rerenders them twice, because a message with the placeholder may be committed while the first rendering runs. The
// job alternates between the owners of images, so that no user has to wait for all images of another one.
package thumbnails

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Needs are the dependencies of the service.
type Needs struct {
	Store    *store.Store
	Work     ports.UnitOfWork
	Blobs    ports.Blobs
	Images   ports.Images
	Clock    ports.Clock
	Node     ports.Node
	Messages ports.Rerenderer
	Metrics  *ports.Metrics
}

// Service makes and serves thumbnails. Find returns a file if the actor can read it; set it before the service starts.
type Service struct {
	Needs
	Find         func(ctx context.Context, a kit.Actor, path string) (*upload.File, error)
	requestTurns *kit.Semaphore[user.ID] // limits requests that make thumbnails, by owner
	last         user.ID                 // owner of the image that the job processed last
	backlog      kit.Backlog
	took         *ports.Histogram
}

// New returns the service.
func New(n Needs) *Service {
	return &Service{
		Needs: n, requestTurns: kit.NewSemaphore[user.ID](1), backlog: kit.Backlog{Earliest: store.EarliestThumbnail},
		took: n.Metrics.Histogram(ports.Instrument{
			Name: "stoa_thumbnails_seconds", Help: "Duration of making all thumbnails of an image.",
			Labels: []ports.Label{ports.Outcomes()},
		}),
	}
}

// Queued makes the job look for images that have been queued. Call it after the commit.
func (s *Service) Queued(ctx context.Context) { s.backlog.Added(ctx) }

const (
	maxTries      = 3               // attempts per image; an image may crash the server
	retry         = 5 * time.Minute // time until the next attempt if one fails
	rerenderDelay = time.Minute     // delay before messages are rendered for the second time
	perPage       = 500             // messages rendered at once
)

// Endpoints returns the routes.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.GET("/user_uploads/thumbnail/:path_id+", kit.Spectators, s.show,
			"Serves a thumbnail of an uploaded image.").Operation("getThumbnail").AtRoot().Rate(kit.RateFiles),
		kit.GET("/thumbnail/status/:path_id+", kit.Users, s.status, "Reports whether an uploaded image has thumbnails."),
		kit.Mount(loaderPath, kit.Anyone, http.HandlerFunc(loader),
			"Serves the placeholder for an image without thumbnails."),
	}
}

// Jobs returns the background jobs.
func (s *Service) Jobs() []kit.Job {
	return []kit.Job{{
		Name: "thumbnails", Every: time.Second, Backlog: &s.backlog, Timeout: 10 * time.Minute, Run: s.processDue,
	}}
}

// Probe reads the header of a stored image and returns its dimensions. It returns the zero value for files that are not
// images, and for images that are unreadable or too large for thumbnails.
func (s *Service) Probe(ctx context.Context, key, contentType string) (upload.Image, error) {
	if !upload.Thumbnailable(contentType) {
		return upload.Image{}, nil
	}
	r, info, err := s.Blobs.Open(ctx, key, 0, -1)
	if err != nil {
		return upload.Image{}, err
	}
	defer func() { _ = r.Close() }()
	if info.Size > picture.MaxPreviewed {
		return upload.Image{}, nil
	}
	h, err := s.Images.Probe(ctx, sized{r, info.Size})
	if errs.Is(err, errs.BadImage) {
		return upload.Image{}, nil
	}
	if err != nil {
		return upload.Image{}, err
	}
	i := upload.Image{Width: h.Width, Height: h.Height, Animated: h.Frames > 1, Thumbnail: upload.ThumbnailPending}
	if f, ok := upload.TranscodedFormat(contentType, h.Width, h.Height); ok {
		i.Transcoded = f.Name
	}
	return i, nil
}

// sized is a reader with a known length.
type sized struct {
	io.Reader
	size int64
}

// Len returns the length in bytes.
func (s sized) Len() int { return int(s.size) }

// processDue is the job that processes all due images, one of each owner in turn.
func (s *Service) processDue(ctx context.Context) error {
	ctx, holder, done := s.Node.Hold(ctx)
	defer done()
	for ctx.Err() == nil {
		if due, err := s.Store.ThumbnailsDue(ctx, s.Clock.Now()); err != nil || !due {
			return err
		}
		job, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (*store.ThumbnailJob, error) {
			return s.Store.DueThumbnail(ctx, holder, s.last, s.Clock.Now(), s.Clock.Now().Add(retry))
		})
		if err != nil || job == nil {
			return err
		}
		s.last = job.OwnerID
		if err := s.process(ctx, job); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *Service) process(ctx context.Context, job *store.ThumbnailJob) error {
	f, err := s.Store.ByID(ctx, job.RealmID, job.AttachmentID)
	if err != nil {
		return err
	}
	if f != nil && f.Image.Thumbnail == upload.ThumbnailPending {
		if job.Tries > maxTries {
			err = s.recordOutcome(ctx, f, upload.ThumbnailFailed)
		} else {
			err = s.generate(ctx, f)
		}
		if errs.Is(err, errs.Unavailable) { // caused by the blob store, not by the image
			return errors.Join(err, s.Work.Do(ctx,
				func(ctx context.Context) error { return s.Store.UncountAttempt(ctx, job) }))
		}
		if err != nil {
			return err
		}
	}
	if f != nil {
		if err := s.rerender(ctx, f); err != nil {
			return err
		}
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if f == nil || job.Shown {
			return s.Store.DeleteThumbnailJob(ctx, job.AttachmentID)
		}
		return s.Store.ScheduleRerender(ctx, job.AttachmentID, s.Clock.Now().Add(rerenderDelay))
	})
}

// generate stores all thumbnails of an image, and records the outcome. Errors: Unavailable.
func (s *Service) generate(ctx context.Context, f *upload.File) error {
	r, info, err := s.Blobs.Open(ctx, f.Key, 0, -1)
	if errs.Is(err, errs.NotFound) {
		return s.recordOutcome(ctx, f, upload.ThumbnailFailed)
	}
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	formats := upload.FormatsOf(f.ContentType, f.Image)
	shapes := make([]picture.Shape, len(formats))
	for i, t := range formats {
		shapes[i] = picture.Shape{Width: t.Width, Height: t.Height, Inside: true, Animated: t.Animated}
	}
	begun := s.Clock.Now()
	made, err := s.Images.Preview(ctx, sized{r, info.Size}, shapes...)
	s.took.Took(s.Clock.Now().Sub(begun), ports.Outcome(err))
	if errs.Is(err, errs.BadImage) {
		return s.recordOutcome(ctx, f, upload.ThumbnailFailed)
	}
	if err != nil {
		return err
	}
	for i, m := range made {
		if _, err := s.Blobs.Put(ctx, upload.ThumbnailKey(f.Key, formats[i]), bytes.NewReader(m.Data),
			int64(len(m.Data))); err != nil {
			return err
		}
	}
	return s.recordOutcome(ctx, f, upload.ThumbnailReady)
}

// generateOnce makes the thumbnails of an image that a client requests before the job has processed it. Concurrent
// requests for images of the same owner wait. Errors: those of generate; NotFound if the file was deleted.
func (s *Service) generateOnce(ctx context.Context, f *upload.File) (*upload.File, error) {
	release, err := s.requestTurns.Acquire(ctx, f.Owner)
	if err != nil {
		return nil, err
	}
	defer release()
	now, err := s.Store.ByID(ctx, f.Realm, f.ID)
	if err != nil {
		return nil, err
	}
	if now == nil {
		return nil, upload.Missing()
	}
	if now.Image.Thumbnail != upload.ThumbnailPending {
		return now, nil
	}
	return now, s.generate(ctx, now)
}

// recordOutcome records whether a file has thumbnails. If the file was deleted in the meantime, it deletes them.
func (s *Service) recordOutcome(ctx context.Context, f *upload.File, state upload.ThumbnailState) error {
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		exists, err := s.Store.SetThumbnail(ctx, f.ID, state)
		if err != nil || exists {
			return err
		}
		return s.Store.AddBlobs(ctx, f.Realm, s.Clock.Now(), upload.ThumbnailKeys(f)...)
	})
	if err == nil {
		f.Image.Thumbnail = state
	}
	return err
}

// rerender rerenders all messages that refer to a file.
func (s *Service) rerender(ctx context.Context, f *upload.File) error {
	for below := message.MaxID; ; {
		ids, err := s.Store.Messages(ctx, f.ID, below, perPage)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := s.Messages.Rerender(ctx, f.Realm, ids...); err != nil {
			return err
		}
		below = ids[len(ids)-1]
	}
}

type pathReq struct {
	Path string `json:"path_id"`
}

type statusRes struct {
	Has bool `json:"has_thumbnail"`
}

// status handles GET /thumbnail/status/{path_id}. Errors: NotFound.
func (s *Service) status(ctx context.Context, a kit.Actor, in pathReq) (statusRes, error) {
	f, err := s.Find(ctx, a, in.Path)
	if err != nil {
		return statusRes{}, err
	}
	return statusRes{f.Image.Thumbnail == upload.ThumbnailReady}, nil
}

// show handles GET /user_uploads/thumbnail/{path_id}/{format} at the root. Errors: NotFound; Unauthorized for
// spectators; Unavailable.
func (s *Service) show(ctx context.Context, a kit.Actor, in pathReq) (*kit.Download, error) {
	d, err := s.thumbnail(ctx, a, in.Path)
	if a.User == 0 && errs.Is(err, errs.NotFound) {
		err = errs.New(errs.Unauthorized, "Not logged in: API authentication or user session required")
	}
	return d, err
}

func (s *Service) thumbnail(ctx context.Context, a kit.Actor, path string) (*kit.Download, error) {
	at := strings.LastIndexByte(path, '/')
	asked, ok := upload.ParseFormat(path[at+1:])
	if at < 0 || !ok {
		return nil, upload.Missing()
	}
	f, err := s.Find(ctx, a, path[:at])
	if err != nil {
		return nil, err
	}
	if f.Image.Thumbnail == upload.ThumbnailPending {
		if f, err = s.generateOnce(ctx, f); err != nil {
			return nil, err
		}
	}
	best, ok := upload.ClosestFormat(asked, upload.FormatsOf(f.ContentType, f.Image))
	if f.Image.Thumbnail != upload.ThumbnailReady || !ok {
		return nil, upload.Missing()
	}
	return s.download(ctx, f, best)
}

func (s *Service) download(ctx context.Context, f *upload.File, t upload.Format) (*kit.Download, error) {
	key := upload.ThumbnailKey(f.Key, t)
	none, info, err := s.Blobs.Open(ctx, key, 0, 0)
	if errs.Is(err, errs.NotFound) {
		err = upload.Missing()
	}
	if err != nil {
		return nil, err
	}
	_ = none.Close()
	return &kit.Download{
		Name: t.Name, Type: "image/" + t.Ext, Inline: true, Size: info.Size, ETag: upload.Tag(f.PathID) + "-" + t.Name,
		Header: map[string]string{
			"Cache-Control": "private, immutable, max-age=31536000", "Vary": "Authorization, Cookie",
			"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff",
		},
		Open: func(ctx context.Context, from, n int64) (io.ReadCloser, error) {
			r, _, err := s.Blobs.Open(ctx, key, from, n)
			return r, err
		},
	}, nil
}

const (
	loaderPath = "/static/images/loading"
	loaderName = loaderPath + "/loader-black.svg"
	spinner    = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><circle cx="50" cy="50" r="36" ` +
		`fill="none" stroke="#000" stroke-opacity=".2" stroke-width="8"/><path d="M50 14a36 36 0 0 1 36 36" ` +
		`fill="none" stroke="#000" stroke-width="8" stroke-linecap="round"><animateTransform ` +
		`attributeName="transform" type="rotate" from="0 50 50" to="360 50 50" dur="1s" ` +
		`repeatCount="indefinite"/></path></svg>`
)

// loader serves the placeholder of images.
func loader(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != loaderName {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", "public, max-age=86400")
	h.Set("Access-Control-Allow-Origin", "*")
	_, _ = w.Write([]byte(spinner)) // the client may have disconnected
}
