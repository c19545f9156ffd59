// Package logs decides which lines are logged: by level, which operators change per module while the server runs, and
// by repetition, since a fault that recurs all the time would otherwise hide everything else.
package logs

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/ports"
)

// moduleKey is the attribute with the name of the module that logs.
const moduleKey = "module"

// Levels holds the lowest level that is logged, and temporary levels of modules.
type Levels struct {
	clock ports.Clock
	base  slog.LevelVar

	mu        sync.Mutex
	temporary atomic.Pointer[map[string]temporary] // by module, "" for all; nil: none. Replaced, never changed
}

// temporary is a level for some time.
type temporary struct {
	level slog.Level
	until time.Time
}

// NewLevels returns levels with a base level.
func NewLevels(clock ports.Clock, base slog.Level) *Levels {
	l := &Levels{clock: clock}
	l.base.Set(base)
	return l
}

// SetBase sets the level of everything without a temporary one.
func (l *Levels) SetBase(level slog.Level) { l.base.Set(level) }

// Set sets the level of a module, or of all if module is "", for some time.
func (l *Levels) Set(module string, level slog.Level, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	next := map[string]temporary{}
	if old := l.temporary.Load(); old != nil {
		maps.Copy(next, *old)
		maps.DeleteFunc(next, func(_ string, t temporary) bool { return !now.Before(t.until) })
	}
	next[module] = temporary{level, now.Add(d)}
	l.temporary.Store(&next)
}

// of returns the level of a module.
func (l *Levels) of(module string) slog.Level {
	all := l.temporary.Load()
	if all == nil {
		return l.base.Level()
	}
	now := l.clock.Now()
	for _, name := range []string{module, ""} {
		if t, ok := (*all)[name]; ok && now.Before(t.until) {
			return t.level
		}
	}
	return l.base.Level()
}

// leveled passes on the lines of a level or above.
type leveled struct {
	slog.Handler
	levels *Levels
	module string
}

// Handler returns a handler that passes on lines according to the levels, in which repeated lines are counted.
func (l *Levels) Handler(next slog.Handler) (h slog.Handler, flush func()) {
	c := &collapsing{Handler: next, all: &repeats{seen: map[string]*seen{}}}
	return &leveled{Handler: c, levels: l}, c.all.flush
}

// Enabled implements slog.Handler.
func (h *leveled) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.levels.of(h.module)
}

// WithAttrs implements slog.Handler.
func (h *leveled) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := &leveled{h.Handler.WithAttrs(attrs), h.levels, h.module}
	for _, a := range attrs {
		if a.Key == moduleKey {
			next.module = a.Value.String()
		}
	}
	return next
}

// WithGroup implements slog.Handler.
func (h *leveled) WithGroup(name string) slog.Handler {
	return &leveled{h.Handler.WithGroup(name), h.levels, h.module}
}

// For returns the logger of a module.
func For(l *slog.Logger, module string) *slog.Logger { return l.With(moduleKey, module) }
