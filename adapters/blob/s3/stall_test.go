package s3_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/adapters/blob/s3"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

// startBehind returns a store at the end of a line.
func startBehind(t *testing.T, limit time.Duration) (*s3.Store, *blobtest.Line) {
	t.Helper()
	var line *blobtest.Line
	s, _ := start(t, func(c *s3.Config) {
		line = blobtest.NewLine(t, c.Endpoint)
		c.Endpoint, c.Timeout, c.Tries = line.URL, limit, 3
	})
	return s, line
}

func unavailable(t *testing.T, what string, err error) {
	t.Helper()
	if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "respond") {
		t.Errorf("%s: %v", what, err)
	}
}

// TestHangs suspends the store at different points. Each operation fails, and works again afterwards.
func TestHangs(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 11<<15) // 5.5 MiB, two parts
	for name, stop := range map[string]func(*blobtest.Line){
		"connecting":        func(l *blobtest.Line) { l.Stop() },
		"in the headers":    func(l *blobtest.Line) { l.StopAfter(40) },
		"after the headers": func(l *blobtest.Line) { l.StopAfter(350) },
		"between parts":     func(l *blobtest.Line) { l.StopAfter(900) },
	} {
		t.Run(name, func(t *testing.T) {
			var all sync.WaitGroup
			defer all.Wait()
			for what, operation := range map[string]func(ports.Blobs) error{
				"put": func(b ports.Blobs) error {
					_, err := b.Put(t.Context(), "new", strings.NewReader("x"), 1)
					return err
				},
				"put parts": func(b ports.Blobs) error {
					_, err := b.Put(t.Context(), "new", strings.NewReader(large), int64(len(large)))
					return err
				},
				"open": func(b ports.Blobs) error {
					r, _, err := b.Open(t.Context(), "large", 0, -1)
					if err != nil {
						return err
					}
					_, err = io.Copy(io.Discard, r)
					return errors.Join(err, r.Close())
				},
				"range": func(b ports.Blobs) error {
					r, _, err := b.Open(t.Context(), "large", 9, 1<<20)
					if err != nil {
						return err
					}
					_, err = io.Copy(io.Discard, r)
					return errors.Join(err, r.Close())
				},
				"delete": func(b ports.Blobs) error { return b.Delete(t.Context(), "none", "gone") },
				"keys": func(b ports.Blobs) error {
					for _, err := range b.Keys(t.Context(), "", "") {
						if err != nil {
							return err
						}
					}
					return nil
				},
			} {
				s, line := startBehind(t, 2*time.Second)
				blobtest.Put(t, s, "large", large[:2<<20])
				stop(line)
				all.Go(func() {
					err := operation(s)
					for err == nil { // the answer was short enough to pass
						err = operation(s)
					}
					unavailable(t, what, err)
					line.Resume()
					kittest.Await(t, func() bool { return operation(s) == nil })
				})
			}
		})
	}
}

// TestHangsWithoutQueue checks that while the store hangs, few operations wait for it, and the others fail at once.
func TestHangsWithoutQueue(t *testing.T) {
	s, line := startBehind(t, time.Second)
	blobtest.Put(t, s, "a", "x")
	line.Stop()
	unavailable(t, "check", s.Check(t.Context()))
	before := line.Accepted.Load()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			_, _, err := s.Open(t.Context(), "a", 0, -1)
			unavailable(t, "open", err)
		})
	}
	all.Wait()
	if tried := line.Accepted.Load() - before; tried > 3 {
		t.Errorf("%d operations waited", tried)
	}
	line.Resume()
	kittest.Await(t, func() bool { return s.Check(t.Context()) == nil }) // the next trial
	blobtest.Is(t, s, "a", "x")
}

// TestSlow checks that transfers may take longer than the limit, in both directions, and that the time of slow clients
// does not count.
func TestSlow(t *testing.T) {
	const limit = 2 * time.Second
	s, line := startBehind(t, limit)
	text := strings.Repeat("x", 3<<19)
	line.Slow(len(text)/12, limit/8)
	blobtest.Put(t, s, "a", text)
	blobtest.Is(t, s, "a", text)
	line.Resume()
	opened, _, err := s.Open(t.Context(), "a", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(limit * 5 / 4) // a client that reads nothing for longer than the limit
	if _, err := io.Copy(io.Discard, opened); err != nil {
		t.Error(err)
	}
	_ = opened.Close()
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, text)
		<-time.After(limit * 5 / 4) // a client that sends nothing for longer than the limit
		_ = w.Close()
	}()
	if _, err := s.Put(t.Context(), "b", r, 2<<20); err != nil {
		t.Error(err)
	}
}
