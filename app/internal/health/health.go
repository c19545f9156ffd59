// Package health serves GET /health from the checks of all modules. The HTTP status is 200 if all checks pass or only
// minor ones fail, which the response reports as degraded, and 503 otherwise. Causes of failures are logged, not sent
// to clients.
//
// Two paths below it are for programs: /health/live is 503 if the process is stuck and must be restarted, and
// /health/ready is 503 if no requests should be sent to it. With ?verbose, an operator also sees the causes.
package health

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// checkTimeout is the time limit for each check.
const checkTimeout = 2 * time.Second

// Handler runs health checks. Collect adds them later.
type Handler struct {
	log    *slog.Logger
	checks []kit.Check
	// Alive reports whether the process is not stuck; nil: it is not. Token lets operators see causes; "": none does. Set
	// both before the handler serves.
	Alive func() bool
	Token string
	// Panics, if not nil, names the modules that panic repeatedly, which the response reports as degraded.
	Panics *kit.Panics

	starting atomic.Pointer[func() string] // what the server does before it serves; nil: it serves
	stopping atomic.Bool

	mu      sync.Mutex
	failing map[string]bool // by name of the check
}

// Stop makes the handler report that the server is stopping, so that load balancers send requests elsewhere.
func (h *Handler) Stop() { h.stopping.Store(true) }

// SetStarting makes the handler report, without running any check, that the server is starting, with a sentence that
// says what it does. nil ends this.
func (h *Handler) SetStarting(does func() string) {
	if does == nil {
		h.starting.Store(nil)
		return
	}
	h.starting.Store(&does)
}

// New returns a handler without checks.
func New(log *slog.Logger) *Handler { return &Handler{log: log, failing: map[string]bool{}} }

// Collect adds the modules' checks under the names module.name. It must not run while the handler serves.
func (h *Handler) Collect(all []kit.Contribution) {
	for _, c := range all {
		for _, check := range c.Parts.Health {
			check.Name = c.Module + "." + check.Name
			h.checks = append(h.checks, check)
		}
	}
}

// Checks returns the checks with their full names.
func (h *Handler) Checks() []kit.Check { return h.checks }

type response struct {
	Result string            `json:"result"` // success or error, as in all responses
	Msg    string            `json:"msg"`
	Status string            `json:"status"`
	Checks map[string]string `json:"checks"`
}

// Warn runs all checks once and logs failures, so that problems are visible at startup.
func (h *Handler) Warn(ctx context.Context) {
	for i, err := range h.run(ctx) {
		if err != nil && ctx.Err() == nil {
			h.logChange(h.checks[i].Name, err)
		}
	}
}

// Observe runs one check, and logs its result like a request does.
func (h *Handler) Observe(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	for _, c := range h.checks {
		if c.Name != name {
			continue
		}
		if err := run(ctx, c); ctx.Err() == nil {
			h.logChange(name, err)
		}
	}
}

// run runs all checks concurrently, and returns their results in the order of h.checks.
func (h *Handler) run(ctx context.Context) []error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	errs := make([]error, len(h.checks))
	var all sync.WaitGroup
	for i, c := range h.checks {
		all.Go(func() { errs[i] = run(ctx, c) })
	}
	all.Wait()
	return errs
}

// ServeHTTP runs all checks and writes the result.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	switch strings.TrimRight(r.URL.Path, "/") {
	case "/health/live":
		h.live(w)
		return
	case "/health/ready":
		h.ready(w, r)
		return
	}
	a := response{Result: "success", Status: "ok", Checks: map[string]string{}}
	if does := h.starting.Load(); does != nil {
		a.Status, a.Result, a.Msg = "starting", "error", (*does)()
		write(w, http.StatusServiceUnavailable, a)
		return
	}
	errs := h.run(r.Context())
	status := http.StatusOK
	for i, c := range h.checks {
		h.logChange(c.Name, errs[i])
		a.Checks[c.Name] = "ok"
		if errs[i] != nil {
			a.Checks[c.Name] = "failing"
			if !c.Minor {
				a.Status, status = "failing", http.StatusServiceUnavailable
				a.Result, a.Msg = "error", "A service that the server needs is failing."
			} else if status == http.StatusOK {
				a.Status = "degraded"
			}
		}
	}
	for _, module := range h.Panics.Repeated() {
		a.Checks[module+".panics"] = "failing"
		if status == http.StatusOK {
			a.Status = "degraded"
		}
	}
	if h.stopping.Load() {
		status = http.StatusServiceUnavailable
		a.Status, a.Result, a.Msg = "stopping", "error", "The server is stopping."
	}
	write(w, status, a)
}

func write(w http.ResponseWriter, status int, a any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a) // the client may be gone
}

// logChange logs the cause when a check begins to fail, and logs when it passes again. Unchanged results are not
// logged, since load balancers may request them several times a second.
func (h *Handler) logChange(check string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failing[check] == (err != nil) {
		return
	}
	h.failing[check] = err != nil
	if err != nil {
		h.log.Warn("health check failed", "check", check, "error", err)
	} else {
		h.log.Info("health check passes again", "check", check)
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
