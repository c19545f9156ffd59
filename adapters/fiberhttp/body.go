package fiberhttp

import (
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/stoachat/stoa/domain/errs"
)

// drainLimit is how many bytes of an unread body are discarded to reuse the connection. If more remain, it is closed.
const drainLimit = 256 << 10

// smallBody is how many bytes are discarded even if the request is over its rate limit.
const smallBody = 4 << 10

// body is a request's streamed body. When streaming, fasthttp neither enforces a limit nor discards what a handler
// leaves unread, which would be parsed as the connection's next request. All reads therefore go through this type. It
// also remembers the end, because the stream must not be read beyond it.
type body struct {
	r       io.Reader // nil: no body
	size    int64     // announced length; -1 if unknown
	limit   int64     // of the route; -1 until the route is known
	read    int64
	arrived atomic.Int64 // bytes read, and other progress of the request
	done    bool
	broken  bool // the connection broke, or the body is malformed

	abandoned bool // do not discard the rest

	conn          net.Conn // its read deadline is extended while the body arrives; nil: it is not
	timeout       time.Duration
	sinceDeadline int64 // bytes read since the deadline was last extended
}

func newBody(ctx *fasthttp.RequestCtx) *body {
	b := &body{r: ctx.RequestBodyStream(), size: int64(ctx.Request.Header.ContentLength()), limit: -1}
	if b.r == nil || b.size == 0 {
		b.done = true
	}
	return b
}

// readToEnd reports whether the body, if any, was read to its end.
func (b *body) readToEnd() bool { return b.done && !b.broken }

func (b *body) empty() bool { return b.done && b.read == 0 }

// setLimit sets the route's limit. Errors: TooLarge if the announced size exceeds it, before anything is read.
func (b *body) setLimit(limit int64) error {
	b.limit = limit
	if b.size > limit {
		return tooLarge(limit)
	}
	return nil
}

// extendDeadline extends the read deadline as long as the body keeps arriving.
func (b *body) extendDeadline(c net.Conn, within time.Duration) { b.conn, b.timeout = c, within }

// resume counts as progress, and extends the read deadline, which passes while nobody reads.
func (b *body) resume() {
	b.arrived.Add(1)
	if b.conn != nil {
		_ = b.conn.SetReadDeadline(deadline(b.timeout)) // if this fails, so does the next read
	}
}

func tooLarge(limit int64) error {
	return errs.New(errs.TooLarge, "The request body is too large; at most %d bytes are accepted here.", limit)
}

// Read implements io.Reader. Errors: TooLarge beyond the route's limit.
func (b *body) Read(p []byte) (int, error) {
	if b.done {
		return 0, io.EOF
	}
	if b.limit >= 0 && b.read >= b.limit {
		var one [1]byte
		if n, err := b.next(one[:]); n == 0 {
			return 0, err
		}
		return 0, tooLarge(b.limit)
	}
	if b.limit >= 0 && int64(len(p)) > b.limit-b.read {
		p = p[:b.limit-b.read]
	}
	return b.next(p)
}

func (b *body) next(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.read += int64(n)
	b.arrived.Add(int64(n))
	if b.sinceDeadline += int64(n); b.conn != nil && b.sinceDeadline >= bytesPerDeadline {
		b.sinceDeadline = 0
		_ = b.conn.SetReadDeadline(deadline(b.timeout)) // if this fails, so does the next read
	}
	if err != nil {
		b.done, b.broken = true, err != io.EOF
	}
	return n, err
}

// abandon makes finish close the connection instead of reading the rest of the body, unless that is small.
func (b *body) abandon() { b.abandoned = b.size < 0 || b.size-b.read > smallBody }

// Close does nothing: finish ends the body.
func (b *body) Close() error { return nil }

// finish runs after the handler. It discards the rest of the body or closes the connection.
func (b *body) finish(ctx *fasthttp.RequestCtx) {
	if ctx.RequestBodyStream() == nil { // fasthttp has read all of it
		return
	}
	b.limit = -1
	var buf [4096]byte
	for left := drainLimit; !b.done && left > 0 && !b.abandoned; {
		n, err := b.next(buf[:min(left, len(buf))])
		if left -= n; n == 0 && err == nil {
			break
		}
	}
	if !b.done || b.broken {
		ctx.SetConnectionClose()
		if c, ok := ctx.Conn().(*conn); ok {
			c.lingers = true
		}
	}
}

type bodyKey struct{}

// streaming attaches a body to every request and finishes it when the handler returns.
func streaming(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		b := newBody(ctx)
		ctx.SetUserValue(bodyKey{}, b)
		next(ctx)
		b.finish(ctx)
	}
}

func bodyOf(ctx *fasthttp.RequestCtx) *body {
	if b, ok := ctx.UserValue(bodyKey{}).(*body); ok {
		return b
	}
	return &body{done: true}
}
