package fiberhttp

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lingerTime is how long a closed connection still accepts unread data, so that the client gets to read the answer.
const lingerTime = 5 * time.Second

// firstAccept signals when the server has begun to accept. fasthttp ignores a shutdown before that and would serve
// forever.
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

// conn is a TCP connection for fasthttp. It is wrapped anew whenever it is passed to fasthttp, which forgets a
// released connection only after some delay.
type conn struct {
	*net.TCPConn
	conns     *openConns
	readAhead []byte                 // already read from the next requests
	used      atomic.Bool            // something has been read
	lingers   bool                   // the client may be sending a body that is not read
	sendBy    time.Time              // the deadline for the answer
	sent      atomic.Pointer[func()] // called when the answer has been sent; nil: nothing
}

// newConn wraps a connection; old is its previous wrapper, if any.
func newConn(tcp *net.TCPConn, ahead []byte, h *openConns, old *conn) *conn {
	c := &conn{TCPConn: tcp, conns: h, readAhead: ahead}
	h.swap(old, c)
	return c
}

// Read returns the data read ahead first.
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

// Close lingers if the client may still be sending: otherwise the kernel would send a reset, on which clients discard
// an answer that they have not read yet.
func (c *conn) Close() error {
	if c.lingers && c.CloseWrite() == nil && c.SetReadDeadline(deadline(lingerTime)) == nil {
		_, _ = io.Copy(io.Discard, c.TCPConn)
	}
	c.onSent(nil)
	c.conns.swap(c, nil)
	return c.TCPConn.Close()
}

// onSent sets a function to call when the answer has been sent, which is when the next request is read or the
// connection is closed; a previous function is called now. A stopping server closes connections while they are being
// read.
func (c *conn) onSent(paid *func()) {
	if before := c.sent.Swap(paid); before != nil {
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

// pastDeadline returns an expired deadline: reads fail after it even if data is available.
func pastDeadline() time.Time { return time.Unix(1, 0) }

// deadline returns the time after d by the network's clock, which is independent of the server's.
func deadline(d time.Duration) time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	at, _ := ctx.Deadline()
	return at
}
