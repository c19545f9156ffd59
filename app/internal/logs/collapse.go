package logs

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	window   = time.Minute // in which repetitions are counted
	maxSeen  = 1000        // different lines in a window; beyond that, lines are not compared
	repeated = "repeated"  // the attribute with the number of repetitions
)

// varying are attributes in which lines about the same fault differ.
var varying = map[string]bool{"request": true, "took_ms": true, "bytes": true}

// collapsing counts repetitions of warnings and errors instead of logging them: the first line is logged at once, the
// number of further ones when the minute has passed.
type collapsing struct {
	slog.Handler
	all    *repeats
	prefix string // the attributes of the handler
}

// repeats are the lines of the last minute.
type repeats struct {
	mu   sync.Mutex
	seen map[string]*seen
	next time.Time // when to look for lines whose minute has passed
}

// seen is a line that was logged.
type seen struct {
	since  time.Time
	count  int         // since then, without the first
	last   slog.Record // the last one
	logged slog.Handler
}

// Handle implements slog.Handler.
func (c *collapsing) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return c.Handler.Handle(ctx, r)
	}
	key := c.key(r)
	c.all.mu.Lock()
	due := c.all.due(r.Time)
	s := c.all.seen[key]
	repeats := s != nil
	switch {
	case repeats:
		s.count++
		s.last = r.Clone()
	case len(c.all.seen) < maxSeen:
		c.all.seen[key] = &seen{since: r.Time, logged: c.Handler}
	}
	c.all.mu.Unlock()
	report(due)
	if repeats {
		return nil
	}
	return c.Handler.Handle(ctx, r)
}

// key identifies a line among those of the same fault.
func (c *collapsing) key(r slog.Record) string {
	var b strings.Builder
	b.WriteString(c.prefix + "\x00" + r.Level.String() + "\x00" + r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if !varying[a.Key] {
			b.WriteString("\x00" + a.String())
		}
		return true
	})
	return b.String()
}

// WithAttrs implements slog.Handler.
func (c *collapsing) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := &collapsing{c.Handler.WithAttrs(attrs), c.all, c.prefix}
	for _, a := range attrs {
		next.prefix += "\x00" + a.String()
	}
	return next
}

// WithGroup implements slog.Handler.
func (c *collapsing) WithGroup(name string) slog.Handler {
	return &collapsing{c.Handler.WithGroup(name), c.all, c.prefix + "\x00" + name + "."}
}

// due removes the lines whose minute has passed, and returns those that were repeated. The caller holds the lock.
func (a *repeats) due(now time.Time) []*seen {
	if now.Before(a.next) {
		return nil
	}
	var out []*seen
	a.next = now.Add(window)
	for key, s := range a.seen {
		if end := s.since.Add(window); now.Before(end) {
			if end.Before(a.next) {
				a.next = end
			}
			continue
		}
		delete(a.seen, key)
		if s.count > 0 {
			out = append(out, s)
		}
	}
	return out
}

// flush reports all lines that were repeated.
func (a *repeats) flush() {
	a.mu.Lock()
	var out []*seen
	for key, s := range a.seen {
		delete(a.seen, key)
		if s.count > 0 {
			out = append(out, s)
		}
	}
	a.mu.Unlock()
	report(out)
}

// report logs how often lines were repeated.
func report(all []*seen) {
	for _, s := range all {
		r := s.last
		r.AddAttrs(slog.Int(repeated, s.count))
		_ = s.logged.Handle(context.Background(), r) // there is nowhere to report an error
	}
}
