package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"github.com/stoachat/stoa/domain/errs"
)

const (
	socketName = "admin.sock"
	maxBody    = 32 << 20 // bytes of a call, which may contain a file
)

// path returns the path of the socket of a data folder.
func path(dataDir string) string { return filepath.Join(dataDir, socketName) }

// Server serves the commands on this machine.
type Server struct {
	dir  string
	mux  *http.ServeMux
	http *http.Server
	done chan struct{} // nil: not started
}

// New returns a server for a data folder that does not listen yet.
func New(dataDir string) *Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, errs.New(errs.NotFound, "The running server does not know this command; restart it after an upgrade"))
	})
	return &Server{dir: dataDir, mux: mux, http: &http.Server{
		Handler: mux, ErrorLog: log.New(io.Discard, "", 0), // about broken connections
		ReadHeaderTimeout: readWithin, ConnContext: withPeer,
	}}
}

// Handle adds a route, such as "POST /log/level". Call it before Start.
func (s *Server) Handle(route string, h http.Handler) { s.mux.Handle(route, onlyOwner(h)) }

// Start listens. A socket that no process listens on is replaced. Errors: ErrInUse; others if the socket cannot be
// created.
func (s *Server) Start(ctx context.Context) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	name := path(s.dir)
	if err := removeStale(ctx, name); err != nil {
		return err
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "unix", name)
	if err != nil {
		return fmt.Errorf("can't listen on %s: %w", name, cause(err))
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return errors.Join(err, ln.Close())
	}
	s.done = make(chan struct{})
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ln) // returns when it is closed
	}()
	return nil
}

// ErrInUse reports that another server listens on the socket of the data folder.
var ErrInUse = errors.New("another server uses the same data folder")

// removeStale removes the socket of a server that has died.
func removeStale(ctx context.Context, name string) error {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", name)
	switch {
	case err == nil:
		return errors.Join(ErrInUse, conn.Close())
	case errors.Is(err, syscall.ECONNREFUSED):
		return os.Remove(name)
	}
	return fmt.Errorf("can't replace %s: %w", name, cause(err))
}

// Stop closes the socket, and ends calls that are running.
func (s *Server) Stop(context.Context) error {
	if s.done == nil {
		return nil
	}
	err := s.http.Close() // removes the socket, too
	<-s.done
	return err
}

type peerKey struct{}

// withPeer records which user has connected.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	uid, known := peer(c)
	return context.WithValue(ctx, peerKey{}, !known || allowed(uid, os.Geteuid()))
}

// allowed reports whether a user may use the socket of another: themselves and root.
func allowed(uid, owner int) bool { return uid == owner || uid == 0 }

func onlyOwner(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ok, _ := r.Context().Value(peerKey{}).(bool); !ok {
			refuse(w, errs.New(errs.PermissionDenied, "Only the user that runs the server, and root, may do this."))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		h.ServeHTTP(w, r)
	})
}

// JSON returns a handler that decodes what a command asks for, and encodes the answer.
func JSON[In, Out any](do func(context.Context, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			refuse(w, errs.Bad("The call can't be read: %v", err))
			return
		}
		out, err := do(r.Context(), in)
		if err != nil {
			refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // the command may be gone
	})
}

// errorTrailer carries the refusal of a call that fails after a part of the answer.
const errorTrailer = "Stoa-Error"

// Write returns a handler that decodes what a command asks for, and lets do write the answer.
func Write[In any](do func(context.Context, In, io.Writer) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			refuse(w, errs.Bad("The call can't be read: %v", err))
			return
		}
		out := &answer{to: w}
		err := do(r.Context(), in, out)
		switch {
		case err != nil && !out.begun:
			refuse(w, err)
		case err != nil:
			text, _ := json.Marshal(refusalOf(err)) // of strings
			w.Header().Set(errorTrailer, string(text))
		}
	})
}

// answer begins the response with the first byte that is written.
type answer struct {
	to    http.ResponseWriter
	begun bool
}

func (a *answer) Write(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.to.Header().Set("Trailer", errorTrailer)
	}
	return a.to.Write(p)
}

// Flush sends what was written.
func (a *answer) Flush() {
	if f, ok := a.to.(http.Flusher); ok {
		f.Flush()
	}
}

// refusal is the answer to a call that failed.
type refusal struct {
	Error string    `json:"error"`
	Code  errs.Code `json:"code"`
	Gone  bool      `json:"gone,omitempty"`
}

// err returns the error that the command prints.
func (r refusal) err() error {
	e := errs.New(r.Code, "%s", r.Error)
	e.Gone = r.Gone
	return e
}

func refusalOf(err error) refusal {
	var known *errs.Error
	if errors.As(err, &known) {
		return refusal{known.Msg, known.Code, known.Gone}
	}
	return refusal{Error: err.Error(), Code: errs.Internal}
}

func refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_ = json.NewEncoder(w).Encode(refusalOf(err)) // the command may be gone
}

// cause returns the error of the system.
func cause(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
}
