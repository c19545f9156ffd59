package logs

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
)

// keptLines is how many lines a Recent keeps.
const keptLines = 2000

// Recent keeps the last lines of the log in memory, for support bundles.
type Recent struct {
	mu    sync.Mutex
	lines []line // a ring
	next  int    // the oldest line, once the ring is full
}

// line is a line of the log.
type line struct {
	record slog.Record
	attrs  []slog.Attr // of the logger
}

// Handler returns a handler that keeps the lines that it passes on.
func (r *Recent) Handler(next slog.Handler) slog.Handler { return &keeping{Handler: next, recent: r} }

// Lines returns the lines, oldest first, without what people have written or what identifies them: see Scrub.
func (r *Recent) Lines() []string {
	r.mu.Lock()
	all := append(append([]line(nil), r.lines[r.next:]...), r.lines[:r.next]...)
	r.mu.Unlock()
	out := make([]string, len(all))
	for i, l := range all {
		out[i] = l.text()
	}
	return out
}

func (r *Recent) keep(l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) < keptLines {
		r.lines = append(r.lines, l)
		return
	}
	r.lines[r.next] = l
	r.next = (r.next + 1) % keptLines
}

// text returns a line with scrubbed attributes. The message is a text of the program, apart from what looks like a
// path, an address or a key.
func (l *line) text() string {
	var b strings.Builder
	b.WriteString(l.record.Time.UTC().Format(time.RFC3339Nano) + " " + l.record.Level.String() + " " +
		plain(l.record.Message))
	add := func(a slog.Attr) bool {
		b.WriteString(" " + a.Key + "=" + value(a))
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	l.record.Attrs(add)
	return b.String()
}

var word = regexp.MustCompile(`^[("]?(?:[A-Za-z'-]+|[0-9]+)[)",.;:]*$`)

// plain returns a text with only its words and numbers.
func plain(text string) string {
	all := strings.Fields(text)
	for i, w := range all {
		if !word.MatchString(w) {
			all[i] = omitted
		}
	}
	return strings.Join(all, " ")
}

// closed are attributes whose values are from sets that the program defines.
var closed = map[string]bool{
	moduleKey: true, "route": true, "method": true, "check": true, "job": true, "kind": true, "version": true,
	"step": true, "level": true, "of": true,
}

// value returns the value of an attribute in a bundle: numbers, times and values from closed sets as they are.
func value(a slog.Attr) string {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindBool, slog.KindDuration, slog.KindTime:
		return v.String()
	default:
		if closed[a.Key] {
			return v.String()
		}
		return `"` + Scrub(v.String()) + `"`
	}
}

// keeping is a handler that keeps lines.
type keeping struct {
	slog.Handler
	recent *Recent
	attrs  []slog.Attr
}

// Handle implements slog.Handler.
func (k *keeping) Handle(ctx context.Context, r slog.Record) error {
	k.recent.keep(line{r.Clone(), k.attrs})
	return k.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (k *keeping) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &keeping{k.Handler.WithAttrs(attrs), k.recent, append(append([]slog.Attr(nil), k.attrs...), attrs...)}
}

// WithGroup implements slog.Handler.
func (k *keeping) WithGroup(name string) slog.Handler {
	return &keeping{k.Handler.WithGroup(name), k.recent, k.attrs}
}
