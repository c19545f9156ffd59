package fiberhttp

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lingering is how long a closed connection still accepts unread data, so that the client gets to read the answer.
const lingering = 5 * time.Second

// accepting signals when the server has begun to accept. fasthttp ignores a shutdown before that and would serve
// forever.
type accepting struct {
	net.Listener
	once    sync.Once
	yes     chan struct{}
	halting *halting
}

// Accept waits for the next connection.
func (a *accepting) Accept() (net.Conn, error) {
	a.once.Do(func() { close(a.yes) })
	c, err := a.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return newConn(tcp, nil, a.halting, nil), err
	}
	return c, err
}

// conn is a TCP connection for fasthttp. It is wrapped anew whenever it is passed to fasthttp, which forgets a
// released connection only after some delay.
type conn struct {
	*net.TCPConn
	halting *halting
	ahead   []byte                 // already read from the next requests
	used    atomic.Bool            // something has been read
	unread  bool                   // the client may be sending a body that is not read
	sendBy  time.Time              // the deadline for the answer
	paid    atomic.Pointer[func()] // called when the answer has been sent; nil: nothing
}

// newConn wraps a connection; old is its previous wrapper, if any.
func newConn(tcp *net.TCPConn, ahead []byte, h *halting, old *conn) *conn {
	c := &conn{TCPConn: tcp, halting: h, ahead: ahead}
	h.swap(old, c)
	return c
}

// Read returns the data read ahead first.
func (c *conn) Read(b []byte) (int, error) {
	c.owe(nil)
	if len(c.ahead) == 0 {
		n, err := c.TCPConn.Read(b)
		if n > 0 {
			c.used.Store(true)
		}
		return n, err
	}
	n := copy(b, c.ahead)
	c.used.Store(true)
	if c.ahead = c.ahead[n:]; len(c.ahead) == 0 {
		c.ahead = nil
	}
	return n, nil
}

// WriteTo overrides that of TCPConn, which would bypass Read.
func (c *conn) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{c}) }

// Close lingers if the client may still be sending: otherwise the kernel would send a reset, on which clients discard
// an answer that they have not read yet.
func (c *conn) Close() error {
	if c.unread && c.CloseWrite() == nil && c.SetReadDeadline(deadline(lingering)) == nil {
		_, _ = io.Copy(io.Discard, c.TCPConn)
	}
	c.owe(nil)
	c.halting.swap(c, nil)
	return c.TCPConn.Close()
}

// owe sets a function to call when the answer has been sent, which is when the next request is read or the connection
// is closed; a previous function is called now. A stopping server closes connections while they are being read.
func (c *conn) owe(paid *func()) {
	if before := c.paid.Swap(paid); before != nil {
		(*before)()
	}
}

// A client must accept each piece of an answer within a time, however long the whole takes.
const (
	sendPiece  = 64 << 10
	sendWithin = 20 * time.Second
)

// Write sends in pieces, each with its own deadline.
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

// SetWriteDeadline sets the deadline of the whole answer.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.sendBy = t
	return c.TCPConn.SetWriteDeadline(t)
}

// past returns an expired deadline: reads fail after it even if data is available.
func past() time.Time { return time.Unix(1, 0) }

// deadline returns the time after d by the network's clock, which is independent of the server's.
func deadline(d time.Duration) time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	at, _ := ctx.Deadline()
	return at
}
