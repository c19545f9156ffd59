package fiberhttp

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// handle runs the use case. A refusal is final only if it was based on the newest facts. If the realm has newer ones
// than the request began with, the use case, which has changed nothing, runs once more, unless the caller's account or
// credentials have been revoked meanwhile.
func (x *request) handle(ctx context.Context) (any, error) {
	if err := x.sameSite(); err != nil {
		return nil, err
	}
	if err := x.maintained(); err != nil {
		return nil, err
	}
	var err error
	if x.actor.Realm == 0 { // and therefore no facts
		x.view = directory.Empty()
		return x.attempt(ctx)
	}
	if x.view, err = x.s.Directory.View(ctx, x.actor.Realm); err != nil {
		return nil, err
	}
	var name string
	switch u := x.view.User(x.actor.User); {
	case x.route.RateClass == loginClass:
		if name = x.in.first("username"); name == "" {
			name = x.in.first("email")
		}
	case u != nil && x.route.PasswordParam != "" && x.in.first(x.route.PasswordParam) != "":
		// Counted separately: failures by a thief of the API key must not lock out its owner.
		name = "again " + u.DeliveryEmail
	default:
		return x.decide(ctx)
	}
	attempt := loginAttempt{x.actor.Realm, user.EmailKey(name), x.clientAddr()}
	res, err := x.s.limits().login(ctx, x.c, attempt, x.s.Clock.Now, x.decide)
	x.measureLogin(err)
	return res, err
}

func (x *request) decide(ctx context.Context) (any, error) {
	res, err := x.attempt(ctx)
	if err == nil || x.unbound || !x.in.canRepeat() {
		return res, err
	}
	var refusal *errs.Error
	if !errors.As(err, &refusal) || !mayBeStale(refusal.Code) {
		return res, err
	}
	newer, viewErr := x.s.Directory.Verified(ctx, x.actor.Realm)
	if viewErr != nil {
		return nil, viewErr
	}
	if x.actor.User != 0 {
		if _, err := permission.Caller(newer, x.actor); err != nil {
			return nil, err
		}
	}
	if newer.Seq() <= x.view.Seq() {
		return res, err
	}
	x.view = newer
	if u := newer.User(x.actor.User); u != nil && u.Active {
		x.setRole(u)
	}
	return x.attempt(ctx)
}

func (x *request) attempt(ctx context.Context) (any, error) {
	if err := x.admit(); err != nil {
		return nil, err
	}
	ctx = ports.WithMeteredCaller(ctx, x.actor, x.countBulk)
	return x.route.Call(ctx, x.actor, x.bind)
}

func (x *request) countBulk(bytes int) error {
	return x.s.limits().countBulk(x.caller, bytes, x.s.Clock.Now())
}

func (x *request) bind(req any) error {
	lim := limits{depth: x.s.cfg.Params.Depth, elements: x.s.cfg.Params.Elements}
	var err error
	x.ignored, err = x.route.binder.bind(req, x.in, x.headerText, lim)
	x.unbound = err != nil
	return err
}

func (x *request) headerText(name string) string {
	return printable(string(x.c.Request().Header.Peek(name)))
}

// respond writes the use case's result.
func (x *request) respond(res any, err error) {
	if to, ok := res.(kit.Redirect); ok && err == nil {
		x.redirect(to)
		return
	}
	if with, ok := res.(kit.WithCookies); ok && err == nil {
		for _, c := range with.Cookies() {
			x.res.Header.Add(fiber.HeaderSetCookie, c.String())
		}
	}
	if with, ok := res.(kit.WithHeaders); ok && err == nil {
		for name, value := range with.Headers() {
			x.res.Header.Set(name, value)
		}
	}
	if d, ok := res.(*kit.Download); ok && d != nil && err == nil {
		x.download(d)
		return
	}
	if sent, ok := res.(kit.Sent); ok {
		x.result = sent
	}
	if err == nil {
		var parts []kit.Span
		parts, err = success(x.res, res, x.ignored)
		x.compress(parts)
	}
	if err == nil {
		err = x.countUnsent()
	}
	if err != nil {
		x.fail(err)
	}
}

// safely runs f. If f panics, it writes an internal error.
func (x *request) safely(f func()) {
	defer func() {
		if p := recover(); p != nil {
			module := kit.ServerPart
			if x.route != nil {
				module = x.route.module
			}
			x.cause = x.s.Collected.Panics.Caught(module, x.routeName(), p)
			x.res.ResetBody()
			plain(x.res, fiber.StatusInternalServerError, "Internal server error")
		}
	}()
	f()
}

// fail writes an error response. Errors other than *errs.Error are logged but not revealed.
func (x *request) fail(err error) {
	var e *errs.Error
	if x.s.ClientError != nil {
		err = x.s.ClientError(err)
	}
	defer x.asPage(err)
	switch {
	case errors.As(err, &e):
		x.measureRefusal(e.Code)
		if e.Code == errs.RateLimit && x.c != nil {
			bodyOf(x.c.Context()).abandon()
		}
		if cause := e.Unwrap(); cause != nil || kit.StatusOf(e.Code) >= 500 {
			x.cause = err
		}
		failure(x.res, e, x.suppressPrompt())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		x.cause = err
		failure(
			x.res,
			errs.New(errs.Unavailable, "The request took too long to process; please try again."),
			x.suppressPrompt(),
		)
	default:
		x.cause = err
		plain(x.res, fiber.StatusInternalServerError, "Internal server error")
	}
}

// suppressPrompt reports whether a 401 must not make a browser prompt for a password, as in sessions and for pages,
// which are served at the root.
func (x *request) suppressPrompt() bool {
	return x.session || x.route != nil && x.route.Root && x.s.Sessions != nil && x.c != nil && !x.hasKey()
}

// log writes the request's log line, which never contains bodies, queries or keys.
func (x *request) log() {
	status, level := x.res.StatusCode(), slog.LevelInfo
	if x.disconnected {
		status = 499 // no response: the client disconnected
	}
	x.measure(status)
	x.observe(status)
	x.span.Number("http.response.status_code", status)
	trace := x.span.Trace()
	x.endSpan()
	if x.held && (x.disconnected || status < 400) {
		level = slog.LevelDebug // a line per minute for each waiting client would drown all others
	}
	outage := status == fiber.StatusServiceUnavailable && x.s.Down != nil && x.s.Down()
	if outage {
		level = slog.LevelDebug // the cause has been logged once
	}
	silent := (x.cause == nil || outage) && !x.s.Log.Enabled(x.s.base, level)
	if silent && x.s.Access == nil {
		return
	}
	attrs := x.attributes(status)
	if trace != "" {
		attrs = append(attrs, slog.String("trace", trace))
	}
	if x.s.Access != nil {
		x.s.Access.LogAttrs(x.s.base, slog.LevelInfo, "request", attrs...)
	}
	if silent {
		return
	}
	if x.cause != nil {
		attrs = append(attrs, slog.String("err", x.cause.Error()))
		var p *kit.PanicError
		if errors.As(x.cause, &p) {
			attrs = append(attrs, slog.String("module", p.Module), slog.String("stack", p.Stack))
		}
		switch {
		case outage:
		case status == fiber.StatusBadGateway:
			level = slog.LevelWarn // another server failed
		case status >= 500:
			level = slog.LevelError
		}
	}
	x.s.Log.LogAttrs(x.s.base, level, "request", attrs...)
}

// attributes returns the attributes of the request in the log and the access log.
func (x *request) attributes(status int) []slog.Attr {
	attrs := make([]slog.Attr, 0, 14)
	attrs = append(attrs,
		slog.String("request", x.id),
		slog.String("method", x.method),
		slog.String("route", x.routeName()),
		slog.String("path", x.loggedPath()),
		slog.String("remote", x.remote.String()),
		slog.Int("status", status),
		slog.Float64("took_ms", milliseconds(x.s.Clock.Now().Sub(x.start))),
		slog.Int("bytes", x.length()),
	)
	return append(attrs, x.who()...)
}

// who returns the attributes of the caller. A name of a client that may contain an address is omitted.
func (x *request) who() []slog.Attr {
	var all []slog.Attr
	if x.actor.Realm != 0 {
		all = append(all, slog.Int64("realm", int64(x.actor.Realm)))
	}
	if x.actor.User != 0 {
		all = append(all, slog.Int64("user", int64(x.actor.User)))
	}
	if name := x.actor.Client; name != "" && name != unnamed && !strings.Contains(name, "@") {
		all = append(all, slog.String("client", name))
	}
	return all
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// length returns the length of the response body in bytes, without reading a stream.
func (x *request) length() int {
	if x.res.IsBodyStream() {
		return x.res.Header.ContentLength()
	}
	return len(x.res.Body())
}

func (x *request) routeName() string { return routeName(x.route, x.session) }

// routeName returns the pattern of a route's path.
func routeName(r *route, session bool) string {
	switch {
	case r == nil:
		return "none"
	case r.Handler != nil, r.Root:
		return r.Path
	case session:
		return sessionPrefix + r.Path
	}
	return apiPrefix + r.Path
}

// maxSegment is the longest segment of an unknown path that is logged. Secrets in links are longer.
const maxSegment = 20

// loggedPath returns the request's path without anything that may be secret or personal. Only numeric parameters are
// filled in; paths below a mounted handler and long segments of unknown paths are omitted.
func (x *request) loggedPath() string {
	switch {
	case x.c == nil, x.route != nil && x.route.Handler == nil && len(x.route.params) == 0:
		if x.route == nil {
			return x.unknown
		}
		return x.routeName()
	case x.route == nil:
		return shortPath(x.c.Path())
	case x.route.Handler != nil:
		if strings.Trim(x.c.Path(), "/") != strings.Trim(x.route.Path, "/") {
			return x.route.Path + "/..."
		}
		return x.route.Path
	}
	segs := strings.Split(x.routeName(), "/")
	values, _ := x.route.pathOf(x.c)
	for i, seg := range segs {
		for _, p := range values {
			if seg == ":"+p.name && p.value != "" && strings.Trim(p.value, "0123456789") == "" {
				segs[i] = p.value
			}
		}
	}
	return strings.Join(segs, "/")
}

// shortPath shortens an unknown path for the log.
func shortPath(path string) string {
	segs := strings.Split(printable(path[:min(len(path), maxAgent)]), "/")
	for i, seg := range segs {
		if len(seg) > maxSegment {
			segs[i] = "..."
		}
	}
	return strings.Join(segs, "/")
}
