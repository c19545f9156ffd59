package inbound

import (
	"bytes"
	"net"
	"net/netip"
	"sync"
	"time"
)

// firstCommand is the time in which a client must send its first command.
const firstCommand = 20 * time.Second

// refused is the reply to clients above the limits. Mail servers try again later.
const refused = "421 4.7.0 Too many connections, please try again later.\r\n"

// limited is a listener that refuses connections above the limits instead of keeping them waiting, so that nobody's
// idle connections delay others.
type limited struct {
	net.Listener

	total, perAddress int
	timeout           time.Duration // for later commands

	mu   sync.Mutex
	open map[netip.Addr]int
	sum  int
}

func limit(l net.Listener, c Config) *limited {
	return &limited{
		Listener: l, total: c.MaxConns, perAddress: c.perAddress(), timeout: c.Timeout, open: map[netip.Addr]int{},
	}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := network(c.RemoteAddr())
		if l.add(from) {
			return &conn{Conn: c, timeout: l.timeout, closed: sync.OnceFunc(func() { l.remove(from) })}, nil
		}
		_, _ = c.Write([]byte(refused)) // fits into the buffer of a new connection
		_ = c.Close()
	}
}

// add counts a connection and reports whether it is within the limits.
func (l *limited) add(from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sum >= l.total || l.open[from] >= l.perAddress {
		return false
	}
	l.sum++
	l.open[from]++
	return true
}

func (l *limited) remove(from netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum--
	if l.open[from]--; l.open[from] == 0 {
		delete(l.open, from)
	}
}

// network returns the IPv4 address, or the /64 prefix of the IPv6 address, of a client.
func network(at net.Addr) netip.Addr {
	p, err := netip.ParseAddrPort(at.String())
	if err != nil {
		return netip.Addr{} // clients without an IP address count together
	}
	a := p.Addr().Unmap()
	if a.Is4() {
		return a
	}
	prefix, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return prefix.Addr()
}

// conn is a client's connection. The server gives each command the same time; conn shortens that of the first one.
type conn struct {
	net.Conn

	timeout time.Duration // for a command
	first   time.Time     // when the first line must be complete; zero until the first deadline is set
	spoken  bool          // only the goroutine that serves the connection reads it
	closed  func()
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.spoken = c.spoken || bytes.IndexByte(b[:n], '\n') >= 0
	return n, err
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !c.spoken {
		if c.first.IsZero() {
			c.first = t.Add(-max(0, c.timeout-firstCommand))
		}
		if t.IsZero() || t.After(c.first) {
			t = c.first
		}
	}
	return c.Conn.SetReadDeadline(t)
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.closed()
	return c.Conn.Close()
}
