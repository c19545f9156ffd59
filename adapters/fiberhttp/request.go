package fiberhttp

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// maxMethod is how many bytes of an unknown method are logged.
const maxMethod = 20

// request is a request and its response.
type request struct {
	s            *Server
	c            *fiber.Ctx // nil for a parked poll
	res          *fasthttp.Response
	id           string
	method       string
	start        time.Time
	remote       netip.Addr // the client's address, resolved through trusted proxies
	agent        string     // the User-Agent, only if modules observe requests
	unknown      string     // the path to log if both route and c are nil
	session      bool       // authenticated by cookie, under /json
	route        *route
	actor        kit.Actor
	csrf         string
	caller       caller          // the client that rate limits apply to
	view         *directory.View // the facts when the request began
	knew         int64           // the number of the facts that login began with
	in           *params
	ignored      []string
	counted      bool     // whether the request has been counted against a rate limit
	unbound      bool     // binding the parameters failed
	disconnected bool     // the client disconnected
	held         bool     // a poll that had to wait
	parked       bool     // gets its response later, without Fiber
	cause        error    // logged, never sent
	result       kit.Sent // the result that was sent, if it wants to know; usually nil
	run          *run     // while it is processed
	span         *ports.Span
}

type requestKey struct{}

// wrap handles every request: it assigns an ID, recovers from panics, responds to unrouted requests, and logs.
func (s *Server) wrap(c *fiber.Ctx) error {
	if _, ok := c.Locals(requestKey{}).(*request); ok { // routed again with another method
		return c.Next()
	}
	x := s.begin(c.Response(), strings.Clone(c.Method()), c.Path())
	x.c = c
	x.remote = x.clientAddr()
	if s.observers.any() {
		x.agent = agentOf(c.Request().Header.UserAgent())
	}
	x.takeID()
	x.warnIgnoredHeaders()
	c.Locals(requestKey{}, x)
	x.safely(func() {
		if err := c.Next(); err != nil {
			x.unrouted()
		}
	})
	if !x.parked {
		x.log()
		x.sent()
	}
	return nil
}

// unknownMethods responds to unknown methods, for which Fiber would write a response in its own format.
func (s *Server) unknownMethods(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		verb := string(ctx.Method())
		if slices.Contains(fiber.DefaultMethods, verb) {
			next(ctx)
			return
		}
		path := string(ctx.URI().PathOriginal())
		x := s.begin(&ctx.Response, printable(verb[:min(len(verb), maxMethod)]), path)
		x.unknown = shortPath(path)
		x.remote, _ = netip.AddrFromSlice(ctx.RemoteIP())
		if err := s.limits().countAddress(&x.res.Header, x.remote, x.start); err != nil {
			x.fail(err)
			bodyOf(ctx).abandon()
			x.log()
			return
		}
		if allowed := s.allowed(path); len(allowed) == 0 {
			plain(x.res, fiber.StatusNotFound, notFound)
		} else {
			x.res.Header.Set(fiber.HeaderAllow, strings.Join(allowed, ", "))
			notAllowed(x.res, allowed)
		}
		x.log()
	}
}

// maxID is the length of an ID of a request that is accepted.
const maxID = 64

// takeID takes over the ID that a trusted proxy has given the request.
func (x *request) takeID() {
	id := string(x.c.Request().Header.Peek(requestIDHeader))
	if id == "" || len(id) > maxID || !x.s.trusts(x.remoteAddr()) ||
		strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:=/+") != "" {
		return
	}
	x.id = id
	x.res.Header.Set(requestIDHeader, id)
}

const requestIDHeader = "X-Request-Id"

func (s *Server) begin(res *fasthttp.Response, method, path string) *request {
	x := &request{s: s, res: res, method: method, start: s.Clock.Now(),
		id: s.prefix + "-" + strconv.FormatUint(s.counter.Add(1), 36)}
	x.headers(path)
	return x
}

// noDevices is the Permissions-Policy of everything that browsers may show, except pages that set their own.
const noDevices = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), " +
	"magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()"

// headers sets the headers that all responses have in common.
func (x *request) headers(path string) {
	h := &x.res.Header
	h.Set(requestIDHeader, x.id)
	h.Set("X-Content-Type-Options", "nosniff")
	if x.s.cfg.secure() {
		h.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	}
	api := strings.HasPrefix(path, "/api/")
	if api || strings.HasPrefix(path, sessionPrefix+"/") {
		h.Set(fiber.HeaderCacheControl, "max-age=0, no-cache, no-store, must-revalidate, private")
	} else {
		h.Set(fiber.HeaderPermissionsPolicy, noDevices)
	}
	if api {
		h.Set(fiber.HeaderAccessControlAllowOrigin, "*")
		h.Set(fiber.HeaderAccessControlAllowHeaders, "Authorization")
		h.Set(fiber.HeaderAccessControlAllowMethods, "GET, POST, DELETE, PUT, PATCH, HEAD")
	}
}

// unrouted responds to requests whose path and method match no route.
func (x *request) unrouted() {
	if err := x.admitted(); err != nil {
		x.fail(err)
		return
	}
	allowed := x.s.allowed(x.c.Path())
	h := &x.res.Header
	h.Del(fiber.HeaderAllow)
	if x.c.Method() != fiber.MethodOptions || len(allowed) == 0 {
		if err := x.s.limits().countAddress(h, x.clientAddr(), x.start); err != nil {
			x.fail(err)
			return
		}
	}
	if len(allowed) == 0 {
		plain(x.res, fiber.StatusNotFound, notFound)
		return
	}
	h.Set(fiber.HeaderAllow, strings.Join(allowed, ", "))
	switch x.c.Method() {
	case fiber.MethodOptions:
		x.res.SetStatusCode(fiber.StatusNoContent)
		return
	case fiber.MethodPost:
		if !overridable(allowed) {
			break
		}
		if err := x.read(kit.DefaultBodyLimit); err != nil {
			x.fail(err)
			return
		}
		if x.override() {
			x.s.limits().uncountAddress(x.clientAddr(), x.start) // counted again for its route
			h.Del(fiber.HeaderAllow)
			_ = x.c.RestartRouting() // finds the route that allowed found
			return
		}
	}
	notAllowed(x.res, allowed)
}

// overridable reports whether the method parameter of a POST may select one of these methods.
func overridable(allowed []string) bool {
	return slices.ContainsFunc(allowed, func(m string) bool {
		return m == fiber.MethodPatch || m == fiber.MethodPut || m == fiber.MethodDelete
	})
}

// override applies the method parameter of a POST, such as method=PATCH.
func (x *request) override() bool {
	if x.c.Method() != fiber.MethodPost {
		return false
	}
	m := strings.ToUpper(x.in.inForm("method"))
	switch m {
	case fiber.MethodPatch, fiber.MethodPut, fiber.MethodDelete:
		if slices.Contains(x.s.allowed(x.c.Path()), m) {
			x.method = x.c.Method(m)
			return true
		}
	}
	return false
}

// serve returns a route's handler.
func (s *Server) serve(r *route, session bool) fiber.Handler {
	return func(c *fiber.Ctx) error {
		x := c.Locals(requestKey{}).(*request)
		x.route, x.session = r, session || r.Root && x.hasSessionOnly()
		if r.LocalOnly { // pages of other sites must not read the responses
			c.Response().Header.Del(fiber.HeaderAccessControlAllowOrigin)
		}
		wait, again := x.process()
		if again {
			x.endSpan()
			return c.RestartRouting()
		}
		if wait != nil {
			x.hold(wait)
		}
		return nil
	}
}

// process handles the request within its time limit. It returns the Wait of a held poll. If again is true, the request
// must be routed again, with another method.
func (x *request) process() (wait *kit.Wait, again bool) {
	ctx, stop, cancel := x.limited()
	defer cancel()
	defer x.watch(cancel)()
	x.watched(x.start, stop)
	defer x.unwatched()
	ctx = x.traced(ctx)
	err := x.enter(ctx)
	if err == nil {
		err = x.checkLocal()
	}
	if err == nil && x.override() {
		return nil, true
	}
	if err != nil {
		x.respond(nil, err)
		return nil, false
	}
	return x.take(ctx), false
}

// take runs the use case when the caller's limit on concurrent requests allows it, and writes the response. If that is
// not ready yet, take returns the Wait instead.
func (x *request) take(ctx context.Context) *kit.Wait {
	done, err := x.acquireSlot(ctx)
	if err != nil {
		x.respond(nil, err)
		return nil
	}
	defer done()
	res, err := x.handle(ctx)
	if w, ok := res.(*kit.Wait); ok && w != nil && err == nil {
		return w
	}
	x.respond(res, err)
	return nil
}

// limited returns a request's context. Requests that stream a file have no deadline, because they may take as long as
// the client keeps sending; they are stopped if they make no progress.
func (x *request) limited() (ctx context.Context, stop, cancel context.CancelFunc) {
	if x.route.streams() {
		ctx, cancel = context.WithCancel(x.s.base)
		return x.progressing(ctx), cancel, cancel
	}
	ctx, cancel = context.WithTimeout(x.s.base, x.s.cfg.HandlerTimeout)
	return ctx, nil, cancel
}

func (r *route) streams() bool { return r.Streaming || r.fileOptions().stream }

// enter authenticates the caller, counts the request and reads the parameters.
func (x *request) enter(ctx context.Context) error {
	if err := x.admitted(); err != nil {
		return err
	}
	err := x.origin(ctx)
	if err == nil && !x.route.Access.Open() {
		err = x.login(ctx)
	}
	if limited := x.countOnce(ctx); limited != nil {
		return limited
	}
	if err != nil && x.newerFactsExist(ctx, err) {
		if err = x.login(ctx); err == nil {
			err = x.recount(ctx)
		}
	}
	if err != nil {
		return err
	}
	x.identified()
	return x.read(x.route.Limit)
}

func (x *request) countOnce(ctx context.Context) error {
	if x.counted {
		return nil
	}
	x.counted = true
	return x.count(ctx)
}

// read reads the parameters unless it has done so before. Errors: TooLarge, BadRequest.
func (x *request) read(limit int64) error {
	if x.in == nil {
		in := &params{max: x.s.cfg.Params.Count,
			limits: limits{depth: x.s.cfg.Params.Depth, elements: x.s.cfg.Params.Elements}}
		if err := in.urlencoded(string(x.c.Request().URI().QueryString()), false); err != nil {
			return err
		}
		b := bodyOf(x.c.Context())
		if err := b.setLimit(limit); err != nil {
			return x.route.asFileError(err)
		}
		if x.route.fileOptions().stream {
			b.extendDeadline(x.c.Context().Conn(), x.s.cfg.ReadTimeout)
		}
		kind := string(x.c.Request().Header.ContentType())
		if x.route != nil && x.route.binder != nil && x.route.binder.body != nil {
			if err := in.readWhole(kind, b); err != nil {
				return err
			}
		} else if err := in.body(kind, b, x.route.fileOptions(), x.route.takesParams()); err != nil {
			return x.route.asFileError(err)
		}
		x.in = in
	}
	if x.session {
		x.in.session = csrfParam
	}
	if x.route == nil {
		return nil
	}
	if name := x.in.first("client"); name != "" {
		x.actor.Client = shortName(name)
	}
	var err error
	x.in.path, err = x.route.pathOf(x.c)
	return err
}

func validText(s string) bool { return utf8.ValidString(s) }
