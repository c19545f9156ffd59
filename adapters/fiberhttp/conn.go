package fiberhttp

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lingering is how long a client may go on sending what nobody reads, so that it comes to read the answer.
const lingering = 5 * time.Second

// accepting tells when the server has begun to accept: stopped before, it would not notice, and serve for ever.
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

// conn is a TCP connection as fasthttp sees it. It gets a new one each time that it is given the connection, because it
// forgets the last one a little after having let go of it.
type conn struct {
	*net.TCPConn
	halting *halting
	ahead   []byte                 // what was read of the next requests already
	used    atomic.Bool            // something has been read
	unread  bool                   // the client may be sending a body that nobody reads
	sendBy  time.Time              // the deadline of the answer
	paid    atomic.Pointer[func()] // called when the answer has been sent; nil: nothing is to be called
}

// newConn wraps a connection, once more if fasthttp has had it as old.
func newConn(tcp *net.TCPConn, ahead []byte, h *halting, old *conn) *conn {
	c := &conn{TCPConn: tcp, halting: h, ahead: ahead}
	h.swap(old, c)
	return c
}

// Read gives what was read ahead first.
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

// WriteTo is here because the one of TCPConn knows nothing of Read.
func (c *conn) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{c}) }

// Close lingers if the client may still be sending: the kernel would answer that with a reset, at which clients forget
// the answer that they have not read yet.
func (c *conn) Close() error {
	if c.unread && c.CloseWrite() == nil && c.SetReadDeadline(deadline(lingering)) == nil {
		_, _ = io.Copy(io.Discard, c.TCPConn)
	}
	c.owe(nil)
	c.halting.swap(c, nil)
	return c.TCPConn.Close()
}

// owe sets what is to be called when the answer has been sent, which is when the next request is read or the connection
// is closed; what was set before is called now. A server that stops closes connections while they are read.
func (c *conn) owe(paid *func()) {
	if before := c.paid.Swap(paid); before != nil {
		(*before)()
	}
}

// A client must accept a piece of an answer within a time, however long the whole may take.
const (
	sendPiece  = 64 << 10
	sendWithin = 20 * time.Second
)

// Write sends in pieces, each with a deadline of its own.
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

// past is a deadline that is over: nothing is read after it, not even what is there.
func past() time.Time { return time.Unix(1, 0) }

// deadline is the moment after d by the clock that the network goes by, whatever the server's clock is.
func deadline(d time.Duration) time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	at, _ := ctx.Deadline()
	return at
}
