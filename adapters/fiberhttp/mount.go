package fiberhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// mount serves an http.Handler. It streams the request body up to the route's limit, unlike Fiber's adaptor, which
// holds all of it in memory. The response is buffered.
func (s *Server) mount(r *route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		x := c.Locals(requestKey{}).(*request)
		x.route = r
		ctx, stop, cancel := x.limited()
		defer cancel()
		defer x.watch(cancel)()
		x.watched(x.start, stop)
		defer x.unwatched()
		ctx = x.traced(ctx)
		req, err := x.authorizeMount(ctx)
		if err != nil {
			x.refuse(err)
			return nil
		}
		x.identified()
		w := newResponseWriter(c)
		r.Handler.ServeHTTP(w, req)
		w.finish()
		return nil
	}
}

// refuse writes an error in the route's format.
func (x *request) refuse(err error) {
	x.fail(err)
	if x.route.Refuse == nil {
		return
	}
	msg := "Internal server error"
	var e *errs.Error
	if status := x.res.StatusCode(); errors.As(err, &e) &&
		(status < 500 || e.Code == errs.Unavailable || e.Code == errs.Maintenance) {
		msg = e.Msg
	}
	status := x.res.StatusCode()
	x.res.ResetBody()
	w := newResponseWriter(x.c)
	x.route.Refuse(w, status, msg)
	w.finish()
}

// needsLogin reports whether a request to a mounted handler needs a login.
func (x *request) needsLogin() bool {
	return !x.route.Access.Open() && (!x.route.Preflight || x.c.Method() != fiber.MethodOptions)
}

// loginEither authenticates by key or, if the route accepts both, by session. A session may change something only from
// a page of this server; unlike under /json, no token is required. Errors: those of login, CSRF.
func (x *request) loginEither(ctx context.Context) error {
	err := x.login(ctx)
	if !errs.Is(err, errs.Unauthorized) || !x.route.EitherLogin || x.cookie() == "" {
		return err
	}
	x.session = true
	x.browser()
	if err := x.login(ctx); err != nil {
		return err
	}
	switch x.c.Method() {
	case fiber.MethodGet, fiber.MethodHead, fiber.MethodOptions:
		return nil
	}
	return x.sameOrigin()
}

// authorizeMount authorizes a request to a mounted handler and converts it to an *http.Request. Handlers open to anyone
// need neither a realm nor the database, since they may exist to report that these are missing.
func (x *request) authorizeMount(ctx context.Context) (*http.Request, error) {
	err := x.admitted()
	if err != nil {
		return nil, err
	}
	if x.needsLogin() {
		if err = x.origin(ctx); err == nil {
			err = x.loginEither(ctx)
		}
	}
	if limited := x.count(ctx); limited != nil {
		return nil, limited
	}
	if err == nil {
		err = x.checkLocal()
	}
	if err == nil {
		err = x.maintained()
	}
	if err != nil {
		return nil, err
	}
	if x.needsLogin() {
		if x.view, err = x.s.Directory.View(ctx, x.actor.Realm); err != nil {
			return nil, err
		}
		if err := x.admit(); err != nil {
			return nil, err
		}
	}
	b := bodyOf(x.c.Context())
	if err := b.setLimit(x.route.Limit); err != nil {
		return nil, err
	}
	if x.route.Streaming {
		b.extendDeadline(x.c.Context().Conn(), x.s.cfg.ReadTimeout)
	}
	if x.route.RateClass == loginClass {
		ctx = kit.WithLoginLimit(ctx, x.limitLogins)
	}
	caller := x.actor
	if !x.needsLogin() { // a page, for the audit log
		if caller = x.stranger(); caller.Client == "Mozilla" { // as all browsers call themselves
			caller.Client = "website"
		}
	}
	return x.httpRequest(kit.WithPeer(ports.WithCaller(ctx, caller), x.remoteAddr()), b)
}

// limitLogins implements kit.LimitLogins for mounted handlers.
func (x *request) limitLogins(ctx context.Context, r realm.ID, name string, check func(context.Context) error) error {
	attempt := loginAttempt{r, user.EmailKey(name), x.clientAddr()}
	_, err := x.s.limits().login(
		ctx,
		x.c,
		attempt,
		x.s.Clock.Now,
		func(ctx context.Context) (any, error) { return nil, check(ctx) },
	)
	x.measureLogin(err)
	return err
}

func (x *request) httpRequest(ctx context.Context, b *body) (*http.Request, error) {
	in := x.c.Request()
	u, err := url.ParseRequestURI(string(in.Header.RequestURI()))
	if err != nil {
		return nil, errs.Bad("The address can't be read.").Because(err)
	}
	req := &http.Request{
		Method: string(in.Header.Method()), URL: u, RequestURI: u.String(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Host: string(in.Host()), Body: b, ContentLength: max(b.size, -1),
		RemoteAddr: net.JoinHostPort(x.clientAddr().String(), "0"), // the client's address, resolved through trusted proxies
	}
	if x.scheme() == "https" { // as net/http does for HTTPS, also if a trusted proxy has terminated TLS
		req.TLS = &tls.ConnectionState{}
	}
	if b.done {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	for k, v := range in.Header.All() {
		if name := string(k); name != fiber.HeaderHost {
			req.Header.Add(name, string(v))
		}
	}
	return req.WithContext(ctx), nil
}

// responseWriter writes a mounted handler's response to Fiber's.
type responseWriter struct {
	c      *fiber.Ctx
	header http.Header
	status int

	mu   sync.Mutex // handlers set deadlines from goroutines that may outlive them
	conn net.Conn   // nil once the response is finished
}

func newResponseWriter(c *fiber.Ctx) *responseWriter {
	return &responseWriter{c: c, header: http.Header{}, conn: c.Context().Conn()}
}

func (w *responseWriter) Header() http.Header { return w.header }

func (w *responseWriter) WriteHeader(status int) {
	if w.status != 0 || status < http.StatusOK { // fasthttp sends 1xx itself
		return
	}
	w.status = status
}

func (w *responseWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.header.Get("Content-Type") == "" {
		w.header.Set("Content-Type", http.DetectContentType(b))
	}
	w.c.Response().AppendBody(b)
	return len(b), nil
}

// SetReadDeadline makes http.ResponseController work.
func (w *responseWriter) SetReadDeadline(t time.Time) error {
	return w.onConn(func(c net.Conn) error { return c.SetReadDeadline(t) })
}

// SetWriteDeadline makes http.ResponseController work.
func (w *responseWriter) SetWriteDeadline(t time.Time) error {
	return w.onConn(func(c net.Conn) error { return c.SetWriteDeadline(t) })
}

// onConn calls use with the connection unless the response is finished, after which it may serve another request.
func (w *responseWriter) onConn(use func(net.Conn) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return net.ErrClosed
	}
	return use(w.conn)
}

func (w *responseWriter) finish() {
	w.mu.Lock()
	w.conn = nil
	w.mu.Unlock()
	h := &w.c.Response().Header
	for name, values := range w.header {
		if name == "Content-Length" {
			continue
		}
		h.Del(name)
		for _, v := range values {
			h.Add(name, v)
		}
	}
	if t := w.header.Get("Content-Type"); t != "" {
		h.SetContentType(t)
	}
	w.c.Response().SetStatusCode(max(w.status, http.StatusOK))
}
