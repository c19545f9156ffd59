// Package tus receives files in several requests, using the protocol tus 1.0
// (https://tus.io/protocols/resumable-upload).
//
// Each request stores its bytes in a separate blob. The last request joins the blobs, unless there is only one, and
// creates the file like POST /user_uploads. Until then the blobs are listed in upload_blobs, so that those of an
// abandoned upload are removed when it expires. A request holds the upload's lock, which is stored in the database as a
// lease of its node, so that requests of an upload can go to different nodes.
package tus

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tus/tusd/v2/pkg/handler"
	"golang.org/x/exp/slog"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/uploads/internal/files"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Files creates files from finished uploads; see files.Service.
type Files interface {
	Begin(ctx context.Context, by user.Actor, name string, keep time.Duration) (files.Slot, error)
	Create(ctx context.Context, by user.Actor, in files.Finished) (*upload.File, error)
	Reserve(ctx context.Context, by user.Actor, bytes int64) error
	CheckQuota(ctx context.Context, r realm.ID, bytes int64) error
	Abandon(ctx context.Context, r realm.ID, key string)
	RemoveSoon(ctx context.Context)
}

// Needs are the dependencies of the service.
type Needs struct {
	Store   *store.Store
	Work    ports.UnitOfWork
	Blobs   ports.Blobs
	Clock   ports.Clock
	Node    ports.Node
	Files   Files
	Probe   func(ctx context.Context, key, contentType string) (upload.Image, error)
	MaxFile int64 // bytes
}

// Service receives resumable uploads.
type Service struct {
	Needs
	arrivals  atomic.Int64 // requests so far
	mu        sync.Mutex
	held      map[string]*holder // requests on this node that hold a lock or are about to, by path ID
	bodyTurns *kit.Semaphore[user.ID]
}

// holder is a request that holds a lock, or is about to. Do not call interrupt before the request reads its body,
// because tusd does not protect its reader with a mutex.
type holder struct {
	arrival   int64 // see request.arrival
	interrupt func()
	release   func() // ends the lease
	reading   bool   // the request reads its body
}

// New returns the service.
func New(n Needs) *Service {
	return &Service{Needs: n, held: map[string]*holder{}, bodyTurns: kit.NewSemaphore[user.ID](maxSending)}
}

const (
	path           = "/api/v1/tus"
	idleLifetime   = 24 * time.Hour         // idle time after which an upload expires
	perRenewal     = time.Hour              // minimum interval between extensions of an upload's expiry time
	lockTimeout    = 10 * time.Second       // how long a request waits for a lock
	minLockRetry   = 100 * time.Millisecond // initial interval between attempts to lock; it doubles each time
	maxLockRetry   = time.Second            // maximum interval between attempts to lock
	networkTimeout = time.Minute            // read timeout while a client sends nothing
	gracePeriod    = 100 * time.Millisecond // how long tusd waits for storage after an interruption
	maxParts       = 10_000                 // per upload
	maxUnfinished  = 20                     // uploads per user
	maxSending     = 4                      // concurrent requests with bodies per user; more requests wait
)

// Endpoints returns the routes.
func (s *Service) Endpoints() []kit.Endpoint {
	e := kit.Mount(path, kit.Users, s, "Receives a file in several requests (tus 1.0).").MaxBody(s.MaxFile)
	e.Streaming, e.EitherLogin, e.Preflight, e.Refuse = true, true, true, writeError
	return []kit.Endpoint{e.Describes(described()...)}
}

// Jobs returns the background jobs.
func (s *Service) Jobs() []kit.Job {
	return []kit.Job{
		{Name: "expire resumable uploads", Deletes: true, Every: 10 * time.Minute, Timeout: 10 * time.Minute, Run: s.expire},
	}
}

// expire deletes expired uploads. Their blobs are in upload_blobs with the same expiry time, so files.Service removes
// them.
func (s *Service) expire(ctx context.Context) error {
	const block = 200
	for ctx.Err() == nil {
		n := 0
		err := s.Work.Do(ctx, func(ctx context.Context) error {
			paths, err := s.Store.Expired(ctx, s.Clock.Now(), block)
			if err != nil {
				return err
			}
			n = len(paths)
			for _, p := range paths {
				if err := s.Store.DropResumable(ctx, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || n < block {
			return err
		}
	}
	return ctx.Err()
}

// ServeHTTP passes a request to tusd's handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrival := s.arrivals.Add(1)
	a, _ := ports.Caller(r.Context())
	if r.Header.Get("Upload-Defer-Length") != "" {
		writeError(w, http.StatusLengthRequired, "The length of the file must be given when the upload begins.")
		return
	}
	if r.Header.Get("Upload-Concat") != "" { // tusd ignores the header if the store cannot join uploads
		writeError(w, http.StatusUnprocessableEntity, "The extension concatenation is not supported.")
		return
	}
	if r.Method == http.MethodPatch && r.Header.Get("Upload-Length") != "" {
		writeError(w, http.StatusUnprocessableEntity, "The length of the file can't be changed.")
		return
	}
	if r.Method == http.MethodPost || r.Method == http.MethodPatch {
		done, err := s.bodyTurns.Acquire(r.Context(), a.User)
		if err != nil {
			writeError(w, http.StatusServiceUnavailable, "The request took too long to process; please try again.")
			return
		}
		defer done()
	}
	x := &request{Service: s, actor: a, token: rand.Text(), arrival: arrival}
	h, err := x.handler()
	if err != nil {
		writeError(w, http.StatusInternalServerError, "Internal server error")
		return
	}
	r.URL.Path = strings.TrimPrefix(r.URL.Path, path)
	out := &errorWriter{ResponseWriter: w}
	defer out.finish()
	h.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch atRoot := strings.Trim(r.URL.Path, "/") == ""; {
		case r.Method == http.MethodPost && atRoot:
			h.PostFile(w, r)
		case r.Method == http.MethodHead && !atRoot:
			h.HeadFile(w, r)
		case r.Method == http.MethodPatch && !atRoot:
			h.PatchFile(w, r)
		case r.Method == http.MethodDelete && !atRoot:
			h.DelFile(w, r)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})).ServeHTTP(out, r)
}

// handler returns a tusd handler for one request. Handlers are not shared, because the store depends on the caller.
func (x *request) handler() (*handler.UnroutedHandler, error) {
	return handler.NewUnroutedHandler(handler.Config{
		StoreComposer: &handler.StoreComposer{Core: x, UsesTerminater: true, Terminater: x, UsesLocker: true, Locker: x},
		BasePath:      x.actor.URL + path + "/", MaxSize: x.MaxFile,
		DisableDownload: true, DisableConcatenation: true, Cors: &handler.CorsConfig{Disable: true},
		Logger: slog.New(slog.NewTextHandler(io.Discard,
			&slog.HandlerOptions{Level: slog.LevelError + 1})),
		PreFinishResponseCallback:        x.finished,
		GracefulRequestCompletionTimeout: gracePeriod, AcquireLockTimeout: lockTimeout, NetworkTimeout: networkTimeout,
	})
}

// finished returns the response to the request that has completed the upload.
func (x *request) finished(handler.HookEvent) (handler.HTTPResponse, error) {
	body, err := json.Marshal(struct {
		URL  string `json:"url"`
		Name string `json:"filename"`
	}{x.file.URL(), x.file.Name})
	return handler.HTTPResponse{
		StatusCode: http.StatusOK, Body: string(body), Header: handler.HTTPHeader{"Content-Type": "application/json"},
	}, err
}

// writeError sends an error in the format that tus clients expect. It sends status 422 instead of 400, because clients
// would retry after 400.
func writeError(w http.ResponseWriter, status int, msg string) {
	if status == http.StatusBadRequest {
		status = http.StatusUnprocessableEntity
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.Header().Set("Tus-Resumable", "1.0.0")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body, err := json.Marshal(map[string]string{"message": msg})
	if err == nil {
		_, _ = w.Write(body) // the client may have disconnected
	}
}

// errorWriter is a ResponseWriter that replaces tusd's plain text errors with those of writeError.
type errorWriter struct {
	http.ResponseWriter
	status int             // status of an error; 0 if there is none
	msg    strings.Builder // tusd's text for the error
}

// Unwrap lets http.ResponseController reach the connection.
func (w *errorWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter. The status of an error is sent by finish, with its text.
func (w *errorWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. It collects the text of an error for finish.
func (w *errorWriter) Write(b []byte) (int, error) {
	if w.status != 0 {
		return w.msg.Write(b)
	}
	return w.ResponseWriter.Write(b)
}

func (w *errorWriter) finish() {
	if w.status == 0 {
		return
	}
	code, msg, ok := strings.Cut(strings.TrimSpace(w.msg.String()), ": ") // the text follows a code
	if !ok {
		msg = http.StatusText(w.status)
	}
	if code == handler.ErrInvalidContentType.ErrorCode {
		w.status = http.StatusUnsupportedMediaType
	}
	writeError(w.ResponseWriter, w.status, msg)
}
