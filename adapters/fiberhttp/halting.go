package fiberhttp

import (
	"sync"
	"sync/atomic"
	"time"
)

// lastRead is how long a server that stops waits for the next bytes of a request that has begun to arrive.
const lastRead = time.Second

// halting knows the open connections, so that a server that stops waits for answers, but not for requests that do not
// arrive.
type halting struct {
	on   atomic.Bool
	mu   sync.Mutex
	open map[*conn]struct{}
}

// begin gives every connection lastRead from now on, and again whenever a deadline is set, as long bodies do while they
// arrive.
func (h *halting) begin() {
	h.on.Store(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.open {
		_ = c.TCPConn.SetReadDeadline(deadline(lastRead))
	}
}

// end cuts every connection off.
func (h *halting) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.open {
		_ = c.TCPConn.Close()
	}
}

// swap puts one connection in the place of another; nil is none.
func (h *halting) swap(old, now *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old != nil {
		delete(h.open, old)
	}
	if now != nil {
		h.open[now] = struct{}{}
	}
}

// SetReadDeadline sets an earlier deadline while the server stops.
func (c *conn) SetReadDeadline(t time.Time) error {
	err := c.TCPConn.SetReadDeadline(t)
	if err != nil || !c.halting.on.Load() { // asked afterwards: begin may come in between
		return err
	}
	if at := deadline(lastRead); t.IsZero() || t.After(at) {
		return c.TCPConn.SetReadDeadline(at)
	}
	return nil
}

// SetDeadline sets both deadlines, that of reading as SetReadDeadline.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetWriteDeadline(t); err != nil {
		return err
	}
	return c.SetReadDeadline(t)
}
