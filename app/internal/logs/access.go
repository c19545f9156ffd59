package logs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Standard is the name of standard output instead of a file.
const Standard = "-"

// File is a file to which lines are appended. Until it is open, and after it was closed, they are lost.
type File struct {
	path   string
	failed func(error) // is told the first error of a row

	mu      sync.Mutex
	to      io.Writer // nil: not open
	close   func() error
	failing bool
}

// NewFile returns a file that is not open yet.
func NewFile(path string, failed func(error)) *File { return &File{path: path, failed: failed} }

// Open opens the file. If it is open already, Open opens it anew, for programs that have renamed it.
func (f *File) Open() error {
	to, closeIt := io.Writer(os.Stdout), func() error { return nil }
	if f.path != Standard {
		file, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		to, closeIt = file, file.Close
	}
	f.mu.Lock()
	before := f.close
	f.to, f.close = to, closeIt
	f.mu.Unlock()
	if before != nil {
		_ = before() // everything was written
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.close == nil {
		return nil
	}
	err := f.close()
	f.to, f.close = nil, nil
	return err
}

// Write implements io.Writer.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.to == nil {
		return len(line), nil
	}
	n, err := f.to.Write(line)
	if err != nil && !f.failing {
		f.failed(err)
	}
	f.failing = err != nil
	return n, err
}

// Combined returns a handler that writes requests in the Combined Log Format of web servers, from the attributes of
// their lines in the log.
func Combined(w io.Writer) slog.Handler { return &combined{w: w} }

type combined struct {
	slog.Handler // WithAttrs and WithGroup, which nobody calls
	w            io.Writer
}

// Enabled implements slog.Handler.
func (*combined) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (c *combined) Handle(_ context.Context, r slog.Record) error {
	of := map[string]string{}
	r.Attrs(func(a slog.Attr) bool { of[a.Key] = a.Value.String(); return true })
	get := func(key string) string {
		if of[key] == "" {
			return "-"
		}
		return of[key]
	}
	quoted := func(text string) string { // as Apache and nginx write it
		return strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `\"`)
	}
	bytes, _ := strconv.Atoi(of["bytes"])
	_, err := fmt.Fprintf(c.w, "%s - %s [%s] \"%s %s HTTP/1.1\" %s %d \"-\" \"%s\"\n", get("remote"), get("user"),
		r.Time.UTC().Format("02/Jan/2006:15:04:05 -0700"), get("method"), quoted(get("path")), get("status"),
		max(0, bytes), quoted(get("client")))
	return err
}
