package fiberhttp

import (
	"net"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/stoachat/stoa/modules/kit"
)

// parked replaces Fiber's context for a poll without a goroutine: the connection taken over from fasthttp, and what its
// response needs.
type parked struct {
	conn    *conn
	headers string // headers set before parking, one per line
	head    bool   // HEAD: no body
	http10  bool   // HTTP/1.0, which requires an explicit keep-alive
	closing bool   // the client wants the connection closed
}

// park parks a poll that is still waiting, if the system and the connection support that and the whole request has been
// read. If it returns true, the handler must return immediately; a worker responds to the poll.
func (p *poll) park() bool {
	x, ctx := p.x, p.x.c.Context()
	c, ok := ctx.Conn().(*conn)
	if !ok || !p.all.parks || !bodyOf(ctx).readToEnd() || !p.countParked() {
		return false
	}
	k := &parked{
		headers: lines(&ctx.Response.Header), head: ctx.IsHead(), http10: !ctx.Request.Header.IsHTTP11(),
		closing: ctx.Request.Header.ConnectionClose() || ctx.Response.ConnectionClose(),
	}
	x.parked, x.c, x.res = true, nil, nil
	x.actor = kit.Actor{Realm: x.actor.Realm, User: x.actor.User}
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(rest net.Conn) { p.released(k, c, rest) })
	return true
}

// countParked counts p as parked. It returns false if p is no longer waiting.
func (p *poll) countParked() bool {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	if !p.waiting || p.all.stopping {
		return false
	}
	p.all.workers.pending.Add(1)
	return true
}

// lines returns the headers that are set, one per line, in as little memory as possible, since there may be very many
// parked polls.
func lines(h *fasthttp.ResponseHeader) string {
	var all []string
	for k, v := range h.All() {
		if name := string(k); name != fiber.HeaderContentType && name != fiber.HeaderContentLength {
			all = append(all, name+": "+string(v)+"\n")
		}
	}
	return strings.Join(all, "")
}

// released runs when fasthttp has released the connection, which must not be written to earlier. Any data that followed
// the request is in rest's reader, which afterwards returns to fasthttp's pool: never serve rest itself.
func (p *poll) released(k *parked, c *conn, rest net.Conn) {
	c.onSent(nil) // the previous response has been sent
	k.conn = newConn(c.TCPConn, buffered(c, rest), c.conns, c)
	p.unwatch = p.all.watch.add(c.TCPConn, p.disconnected)
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.parked = k
	if !p.waiting { // woken meanwhile
		p.all.enqueue(p)
	}
}

// buffered returns the data that fasthttp has read ahead. After the deadline has passed, the connection returns nothing
// new.
func buffered(c *conn, rest net.Conn) []byte {
	var all []byte
	var buf [512]byte
	if c.SetReadDeadline(pastDeadline()) != nil {
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
