package wasm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// request is what a guest is called with. One of the fields besides Kind is set, or none for a job.
type request struct {
	Kind    string        `json:"kind"` // "route", "message" or "job"
	Route   *routeCall    `json:"route,omitempty"`
	Message *guestMessage `json:"message,omitempty"`
}

// reply is what a guest returns.
type reply struct {
	Body  map[string]json.RawMessage `json:"body"`
	Error string                     `json:"error"` // refuses the request of a route; the caller reads it
}

// call calls a guest. Failures of the guest are counted. Errors: Unavailable.
func (s *service) call(ctx context.Context, r realm.ID, g *guest, q request) (reply, error) {
	share, err := s.shares.Acquire(ctx, g.ID)
	if err != nil {
		return reply{}, errs.New(errs.Unavailable, "The module %s is busy.", g.Manifest.Name).Because(err)
	}
	defer share()
	done, err := s.machines.Acquire(ctx, "")
	if err != nil {
		return reply{}, errs.New(errs.Unavailable, "The server's modules are busy.").Because(err)
	}
	defer done()
	in, err := json.Marshal(q)
	if err != nil {
		return reply{}, err
	}
	limited, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	x := &acting{service: s, realm: r, guest: g}
	var out reply
	text, err := s.engine.Run(limited, g.Hash, in, s.Clock.Now(), x.act)
	if err == nil {
		if json.Unmarshal(text, &out) != nil {
			err = errors.New("its reply is not valid JSON")
		}
	}
	s.calls.Add(1, ports.Outcome(err))
	if err == nil {
		return out, nil
	}
	if ctx.Err() == nil { // otherwise the client has gone, or the server stops
		err = errors.Join(err, s.failed(ctx, r, g, err))
	}
	return reply{}, errs.New(errs.Unavailable, "The module %s has failed.", g.Manifest.Name).Because(err)
}

// A module that fails often is disabled.
const (
	maxFailures   = 5
	failuresIn    = time.Minute
	maxReason     = 500 // bytes
	disabledAfter = "disabled after %d failures within a minute: %s"
)

// failures holds the times of the latest failures, by the ID of the module.
type failures struct {
	mu sync.Mutex
	at map[int64][]time.Time
}

// Add counts a failure, and reports whether there were too many lately.
func (f *failures) Add(id int64, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at == nil {
		f.at = map[int64][]time.Time{}
	}
	f.at[id] = append(f.at[id], now)
	if len(f.at[id]) < maxFailures {
		return false
	}
	oldest := f.at[id][0]
	f.at[id] = f.at[id][1:]
	if now.Sub(oldest) > failuresIn {
		return false
	}
	delete(f.at, id)
	return true
}

func (s *service) failed(ctx context.Context, r realm.ID, g *guest, why error) error {
	name := g.Manifest.Name
	s.Logger.WarnContext(ctx, "module failed", "module", name, "version", g.Manifest.Version, "realm", r, "error", why)
	if !s.failures.Add(g.ID, s.Clock.Now()) {
		return nil
	}
	s.Logger.ErrorContext(ctx, "module disabled", "module", name, "version", g.Manifest.Version, "realm", r)
	reason := fmt.Sprintf(disabledAfter, maxFailures, why)
	reason = reason[:min(len(reason), maxReason)]
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		now := guests.In(v)[name]
		if now == nil || now.Hash != g.Hash || now.Disabled != "" {
			return nil
		}
		disabled := *now
		disabled.Disabled = reason
		if err := s.rows.Disable(ctx, g.ID, reason); err != nil {
			return err
		}
		return s.change(ctx, r, audit.ModuleDisabled, now, &disabled)
	})
}

// prepare compiles a guest, unless that has been done.
func (s *service) prepare(ctx context.Context, id int64, hash string) error {
	return s.engine.Prepare(ctx, hash, func() (*pack, error) {
		file, err := s.rows.File(ctx, id, hash)
		if err != nil || file == nil {
			return nil, errors.Join(err, errors.New("the module has been replaced or removed"))
		}
		return unpack(file, s.cfg.Signers) // keys may have been removed since
	})
}

// sweep is the longest time after which a node looks for what others have installed or removed.
const sweep = time.Minute

// prepareAll is the job that compiles what other nodes have installed, and forgets what was removed. It costs nothing
// unless a request has asked for a module that is not compiled.
func (s *service) prepareAll(ctx context.Context) error {
	now := s.Clock.Now()
	if !s.wanted.Swap(false) && now.Sub(s.swept) < sweep {
		return nil
	}
	s.swept = now
	enabled, err := s.rows.Enabled(ctx)
	if err != nil {
		return err
	}
	hashes := make([]string, len(enabled))
	for i, r := range enabled {
		hashes[i] = r.Hash
	}
	all := []error{s.engine.Keep(ctx, hashes)}
	for _, r := range enabled {
		all = append(all, s.prepare(ctx, r.ID, r.Hash))
	}
	return errors.Join(all...)
}
