// Package health answers GET /health from the checks of all modules: 200 when all are well, 503 otherwise. The cause of
// a failure goes to the log, not to whoever asks. When only minor ones fail the status is degraded, with 200.
package health

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// patience is how long one check may take.
const patience = 2 * time.Second

// Handler runs checks. It exists before they are known.
type Handler struct {
	log    *slog.Logger
	checks []kit.Check
	stops  atomic.Bool

	mu      sync.Mutex
	failing map[string]bool // checks by name
}

// Stop makes the handler answer that the server stops, so that load balancers send requests elsewhere.
func (h *Handler) Stop() { h.stops.Store(true) }

// New makes a handler without checks.
func New(log *slog.Logger) *Handler { return &Handler{log: log, failing: map[string]bool{}} }

// Collect adds the modules' checks as module.name. Not while it serves.
func (h *Handler) Collect(all []kit.Contribution) {
	for _, c := range all {
		for _, check := range c.Parts.Health {
			check.Name = c.Module + "." + check.Name
			h.checks = append(h.checks, check)
		}
	}
}

type answer struct {
	Result string            `json:"result"` // success or error, as everywhere
	Msg    string            `json:"msg"`
	Status string            `json:"status"`
	Checks map[string]string `json:"checks"`
}

// Warn runs all checks once and logs those that fail, so that a server that starts with something missing says so at
// once.
func (h *Handler) Warn(ctx context.Context) {
	for i, err := range h.run(ctx) {
		if err != nil && ctx.Err() == nil {
			h.note(h.checks[i].Name, err)
		}
	}
}

// run runs all checks at the same time and returns their results in order.
func (h *Handler) run(ctx context.Context) []error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	errs := make([]error, len(h.checks))
	var all sync.WaitGroup
	for i, c := range h.checks {
		all.Go(func() { errs[i] = run(ctx, c) })
	}
	all.Wait()
	return errs
}

// ServeHTTP runs all checks at the same time.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	errs := h.run(r.Context())
	a := answer{Result: "success", Status: "ok", Checks: map[string]string{}}
	status := http.StatusOK
	for i, c := range h.checks {
		h.note(c.Name, errs[i])
		a.Checks[c.Name] = "ok"
		if errs[i] != nil {
			a.Checks[c.Name] = "failing"
			if !c.Minor {
				a.Status, status = "failing", http.StatusServiceUnavailable
				a.Result, a.Msg = "error", "Something that the server needs does not work."
			} else if status == http.StatusOK {
				a.Status = "degraded"
			}
		}
	}
	if h.stops.Load() {
		status = http.StatusServiceUnavailable
		a.Status, a.Result, a.Msg = "stopping", "error", "The server is stopping."
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a) // the client may be gone
}

// note logs that a check fails, with the cause, or succeeds again. Load balancers ask several times a second, so what
// has not changed is not logged.
func (h *Handler) note(check string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failing[check] == (err != nil) {
		return
	}
	h.failing[check] = err != nil
	if err != nil {
		h.log.Warn("health check failed", "check", check, "error", err)
	} else {
		h.log.Info("health check succeeds again", "check", check)
	}
}

func run(ctx context.Context, c kit.Check) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return c.Run(ctx)
}
