package fiberhttp

import (
	"sync"
	"sync/atomic"
	"time"
)

// lastRead is how long a stopping server waits for more bytes of a request that is still arriving.
const lastRead = time.Second

// openConns tracks open connections, so that a stopping server waits for responses but not for incomplete requests.
type openConns struct {
	stopping atomic.Bool
	mu       sync.Mutex
	open     map[*conn]struct{}
}

// limitReads makes all pending reads end within lastRead. Reads that set a deadline later, as those of long bodies do,
// get another lastRead each time.
func (h *openConns) limitReads() {
	h.stopping.Store(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.open {
		_ = c.TCPConn.SetReadDeadline(deadline(lastRead))
	}
}

// closeAll closes all connections.
func (h *openConns) closeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.open {
		_ = c.TCPConn.Close()
	}
}

// swap replaces one tracked connection by another. Either may be nil.
func (h *openConns) swap(old, now *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old != nil {
		delete(h.open, old)
	}
	if now != nil {
		h.open[now] = struct{}{}
	}
}

// SetReadDeadline shortens the deadline to lastRead while the server is stopping.
func (c *conn) SetReadDeadline(t time.Time) error {
	err := c.TCPConn.SetReadDeadline(t)
	if err != nil || !c.conns.stopping.Load() { // checked afterwards, since limitReads may run in between
		return err
	}
	if at := deadline(lastRead); t.IsZero() || t.After(at) {
		return c.TCPConn.SetReadDeadline(at)
	}
	return nil
}

// SetDeadline sets both deadlines. It shortens the read deadline as SetReadDeadline does.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetWriteDeadline(t); err != nil {
		return err
	}
	return c.SetReadDeadline(t)
}
