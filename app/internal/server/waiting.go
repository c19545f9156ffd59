package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/domain/errs"
)

// The pauses between two attempts to reach the database at the start.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = 15 * time.Second
)

// waiter starts the steps that need the database, and repeats a step that fails for a reason that may pass. Meanwhile,
// and while a migration takes long, the server answers all requests with status 503, so that load balancers and people
// see what it does.
type waiter struct {
	s      *Server
	failed bool // a step has failed, so the database did not respond

	mu      sync.Mutex
	release func() // ends the answers; nil: there are none yet
	ended   bool
}

// wrap returns steps that wait for the database.
func (w *waiter) wrap(steps []step) []step {
	var out []step
	for _, p := range steps {
		start := p.start
		p.start = func(ctx context.Context) error { return w.start(ctx, start) }
		out = append(out, p)
	}
	return out
}

func (w *waiter) start(ctx context.Context, start func(context.Context) error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := start(ctx)
		if err == nil || ctx.Err() != nil || !w.s.db.Passing(err) {
			return databaseProblem(err)
		}
		w.failed = true
		w.answer(func() string { return "The server is waiting for its database." })
		w.s.Log.Warn("waiting for the database", "cause", config.Masked(bunstore.Cause(err)), "remedy", remedy(err),
			"next_attempt_in", pause)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// migrate migrates the database. Clients that connect wait, but not long.
func (w *waiter) migrate(ctx context.Context) error {
	late := time.AfterFunc(longMigration, func() { w.answer(w.s.progress.sentence) })
	defer late.Stop() // if it has just run, end ends the answers
	return w.s.Migrate(ctx)
}

// answer answers requests with what the server does.
func (w *waiter) answer(does func() string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.s.health.SetStarting(does)
	if w.release == nil {
		w.release = w.s.http.Hold(holding(w.s.health))
	}
}

// succeed ends the answers because the database responds.
func (w *waiter) succeed(context.Context) error {
	if w.failed {
		w.s.Log.Info("the database responds")
	}
	w.end()
	return nil
}

// end ends the answers.
func (w *waiter) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.release != nil {
		w.release()
		w.release = nil
		w.s.health.SetStarting(nil)
	}
}

func remedy(err error) string {
	var known *bunstore.OpenError
	if errors.As(err, &known) {
		return known.Remedy
	}
	return ""
}

// databaseProblem adds the key to errors about reaching the database.
func databaseProblem(err error) error {
	var known *bunstore.OpenError
	if errors.As(err, &known) {
		return &UnreachableError{fmt.Sprintf("database.url: %s; set another one with --database-url or STOA_DATABASE_URL",
			config.Masked(known.Error())), known}
	}
	return err
}

// UnreachableError reports that the database cannot be opened.
type UnreachableError struct {
	text string
	err  *bunstore.OpenError
}

func (e *UnreachableError) Error() string { return e.text }

// Unwrap returns the error of the database.
func (e *UnreachableError) Unwrap() error { return e.err }

// holding answers requests while the server waits for its database.
func holding(health http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/health", health)
	mux.Handle("/health/", health)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Retry-After", "5")
		const text = "The server is starting."
		if !strings.HasPrefix(r.URL.Path, "/api/") && !strings.HasPrefix(r.URL.Path, "/json/") {
			http.Error(w, text, http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(map[string]string{ // the client may be gone
			"result": "error", "msg": text, "code": string(errs.Unavailable),
		})
	})
	return mux
}
