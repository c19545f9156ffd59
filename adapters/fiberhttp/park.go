package fiberhttp

import (
	"net"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/stoachat/stoa/modules/kit"
)

// parked is what a poll without a goroutine has instead of Fiber's context: its connection, taken from fasthttp with
// all that goes with it, and what its answer needs to be like any other.
type parked struct {
	conn    *conn
	headers string // set before it was parked, a line each
	head    bool   // no body
	old     bool   // HTTP/1.0, where keeping the connection has to be said
	closing bool   // the client wants no more of it
}

// park chooses the form: it parks what still waits, on a system and a connection that can, when all of the request has
// been read. The handler must return at once then; the poll is answered elsewhere.
func (p *poll) park() bool {
	x, ctx := p.x, p.x.c.Context()
	c, ok := ctx.Conn().(*conn)
	if !ok || !p.all.parks || !bodyOf(ctx).whole() || !p.leaves() {
		return false
	}
	k := &parked{
		headers: lines(&ctx.Response.Header), head: ctx.IsHead(), old: !ctx.Request.Header.IsHTTP11(),
		closing: ctx.Request.Header.ConnectionClose() || ctx.Response.ConnectionClose(),
	}
	x.parked, x.c, x.res = true, nil, nil
	x.actor = kit.Actor{User: x.actor.User}
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(rest net.Conn) { p.arrive(k, c, rest) })
	return true
}

// leaves counts p as parked, unless it has nothing to wait for any more.
func (p *poll) leaves() bool {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	if !p.waiting || p.all.stopping {
		return false
	}
	p.all.desk.out.Add(1)
	return true
}

// lines gives what has been set, a line each, and not a byte more: there may be very many of them.
func lines(h *fasthttp.ResponseHeader) string {
	var all []string
	for k, v := range h.All() {
		if name := string(k); name != fiber.HeaderContentType && name != fiber.HeaderContentLength {
			all = append(all, name+": "+string(v)+"\n")
		}
	}
	return strings.Join(all, "")
}

// arrive runs when fasthttp has let go of the connection; only from now on it may be written to. What the client has
// sent after its request is in the reader of rest, which goes back to fasthttp's pool when this returns: never serve
// that one.
func (p *poll) arrive(k *parked, c *conn, rest net.Conn) {
	c.owe(nil) // the last answer was sent before
	k.conn = newConn(c.TCPConn, buffered(c, rest), c.halting, c)
	p.forget = p.all.watch.add(c.TCPConn, p.leave)
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.parked = k
	if !p.waiting { // by now
		p.all.due(p)
	}
}

// buffered takes what was read ahead: past its deadline, a connection gives nothing new.
func buffered(c *conn, rest net.Conn) []byte {
	var all []byte
	var buf [512]byte
	if c.SetReadDeadline(past()) != nil {
		return nil
	}
	for {
		n, err := rest.Read(buf[:])
		all = append(all, buf[:n]...)
		if err != nil {
			_ = c.SetReadDeadline(time.Time{})
			return all
		}
	}
}
