package blobtest

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Line is a TCP proxy in front of a server. Its data flow can be stopped, which looks like a server that is suspended:
// connections are accepted and stay open, but nothing is transferred.
type Line struct {
	URL      string
	Accepted atomic.Int64 // number of connections so far

	mu      sync.Mutex
	changed *sync.Cond
	left    int64 // bytes that the server may still send before everything stops; -1: unlimited
	chunk   int   // bytes transferred at once
	pause   time.Duration
	ended   bool
}

// lineBuffer limits the bytes in transit. Much smaller buffers would make TCP wait for its timers.
const lineBuffer = 128 << 10

// NewLine returns a line to the server at an address such as http://127.0.0.1:1234.
func NewLine(t testing.TB, to string) *Line {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Line{URL: "http://" + ln.Addr().String(), left: -1, chunk: lineBuffer}
	l.changed = sync.NewCond(&l.mu)
	var all sync.WaitGroup
	var conns sync.Map
	all.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			l.Accepted.Add(1)
			conns.Store(client, nil)
			all.Go(func() {
				defer func() { _ = client.Close() }()
				server, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host)
				if err != nil {
					return
				}
				defer func() { _ = server.Close() }()
				conns.Store(server, nil)
				all.Go(func() { l.copy(server, client, false) })
				l.copy(client, server, true)
			})
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		l.change(func() { l.ended = true })
		conns.Range(func(c, _ any) bool { _ = c.(net.Conn).Close(); return true })
		all.Wait()
	})
	return l
}

// Stop stops the line.
func (l *Line) Stop() { l.StopAfter(0) }

// StopAfter stops the line when the server has sent n more bytes.
func (l *Line) StopAfter(n int64) { l.change(func() { l.left = n }) }

// Resume lets all data pass again, as fast as possible.
func (l *Line) Resume() { l.change(func() { l.left, l.chunk, l.pause = -1, lineBuffer, 0 }) }

// Slow transfers chunk bytes at a time, with pauses.
func (l *Line) Slow(chunk int, pause time.Duration) {
	l.change(func() { l.chunk, l.pause = chunk, pause })
}

func (l *Line) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	l.changed.Broadcast()
}

func (l *Line) copy(to, from net.Conn, answers bool) {
	defer func() { _ = to.Close() }()
	_ = from.(*net.TCPConn).SetReadBuffer(lineBuffer)
	_ = to.(*net.TCPConn).SetWriteBuffer(lineBuffer)
	buf := make([]byte, lineBuffer)
	for {
		n, err := from.Read(buf)
		for sent := 0; sent < n; {
			allowed := l.allow(n-sent, answers)
			if allowed == 0 {
				return
			}
			if _, err := to.Write(buf[sent : sent+allowed]); err != nil {
				return
			}
			sent += allowed
		}
		if err != nil {
			return
		}
	}
}

// allow waits until bytes may be transferred, and returns how many of n, or 0 at the end of the test.
func (l *Line) allow(n int, answers bool) int {
	l.mu.Lock()
	pause := l.pause
	l.mu.Unlock()
	time.Sleep(pause)
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.left == 0 && !l.ended {
		l.changed.Wait()
	}
	if l.ended {
		return 0
	}
	n = min(n, l.chunk)
	if answers && l.left > 0 {
		n = int(min(int64(n), l.left))
		l.left -= int64(n)
	}
	return n
}
