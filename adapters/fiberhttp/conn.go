package fiberhttp

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lingerTime is how long a closing connection accepts unread data, so that the client can read the response.
const lingerTime = 5 * time.Second

// firstAccept signals when the server has begun to accept connections. A shutdown before that has no effect on
// fasthttp, which would serve forever.
type firstAccept struct {
	net.Listener
	once    sync.Once
	started chan struct{}
	conns   *openConns
}

// Accept waits for the next connection.
func (a *firstAccept) Accept() (net.Conn, error) {
	a.once.Do(func() { close(a.started) })
	c, err := a.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return newConn(tcp, nil, a.conns, nil), err
	}
	return c, err
}

// conn is a TCP connection for fasthttp. Each time it is passed to fasthttp it needs a new wrapper, because fasthttp
// forgets a released connection only after some delay.
type conn struct {
	*net.TCPConn
	conns     *openConns
	readAhead []byte                 // data already read, which belongs to the next requests
	used      atomic.Bool            // something has been read
	lingers   bool                   // the client may be sending a body that is not read
	sendBy    time.Time              // write deadline of the whole response
	sent      atomic.Pointer[func()] // called when the response has been sent; nil: nothing
}

// newConn wraps a connection that old, if not nil, has wrapped so far.
func newConn(tcp *net.TCPConn, ahead []byte, h *openConns, previous *conn) *conn {
	c := &conn{TCPConn: tcp, conns: h, readAhead: ahead}
	h.swap(previous, c)
	return c
}

// Read returns the data that was read ahead, then reads from the connection.
func (c *conn) Read(b []byte) (int, error) {
	c.onSent(nil)
	if len(c.readAhead) == 0 {
		n, err := c.TCPConn.Read(b)
		if n > 0 {
			c.used.Store(true)
		}
		return n, err
	}
	n := copy(b, c.readAhead)
	c.used.Store(true)
	if c.readAhead = c.readAhead[n:]; len(c.readAhead) == 0 {
		c.readAhead = nil
	}
	return n, nil
}

// WriteTo overrides that of TCPConn, which would bypass Read.
func (c *conn) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{c}) }

// Close lingers if the client may still be sending. Otherwise the kernel would send a reset, on which clients discard a
// response that they have not read yet.
func (c *conn) Close() error {
	if c.lingers && c.CloseWrite() == nil && c.SetReadDeadline(deadline(lingerTime)) == nil {
		_, _ = io.Copy(io.Discard, c.TCPConn)
	}
	c.onSent(nil)
	c.conns.swap(c, nil)
	return c.TCPConn.Close()
}

// onSent sets a function to call when the response has been sent: when the next request is read, or when the connection
// is closed. It calls the previous function now. A stopping server closes connections while they are being read.
func (c *conn) onSent(fn *func()) {
	if previous := c.sent.Swap(fn); previous != nil {
		(*previous)()
	}
}

// A client must accept each piece of a response in time, however long the whole takes.
const (
	sendPiece  = 64 << 10
	sendWithin = 20 * time.Second
)

// Write writes in pieces, each with its own deadline.
func (c *conn) Write(b []byte) (int, error) {
	if len(b) <= sendPiece {
		return c.TCPConn.Write(b)
	}
	sent := 0
	for sent < len(b) {
		by := deadline(sendWithin)
		if !c.sendBy.IsZero() && c.sendBy.Before(by) {
			by = c.sendBy
		}
		if err := c.TCPConn.SetWriteDeadline(by); err != nil {
			return sent, err
		}
		n, err := c.TCPConn.Write(b[sent:min(sent+sendPiece, len(b))])
		if sent += n; err != nil {
			return sent, err
		}
	}
	return sent, c.TCPConn.SetWriteDeadline(c.sendBy)
}

// SetWriteDeadline sets the deadline of the whole response.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.sendBy = t
	return c.TCPConn.SetWriteDeadline(t)
}

// pastDeadline returns a time in the past. As a deadline, it fails reads even if data is available.
func pastDeadline() time.Time { return time.Unix(1, 0) }

// deadline returns the system time after d, which may differ from the time of the server's clock.
func deadline(d time.Duration) time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	at, _ := ctx.Deadline()
	return at
}
