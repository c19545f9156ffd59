package fiberhttp

import (
	"context"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/modules/kit"
)

// exchange is one request and its answer.
type exchange struct {
	s       *Server
	c       *fiber.Ctx
	id      string
	began   time.Time
	session bool // logged in by cookie, under /json
	row     *row
	actor   kit.Actor
	csrf    string
	view    *directory.View // the facts that the request began with
	in      *params
	ignored []string
	counted bool  // against a rate limit
	unbound bool  // the parameters were refused
	gone    bool  // there is nobody to answer
	cause   error // for the log
}

type exchangeKey struct{}

// edge is around every request: it names it, recovers, answers what no row answers, and logs.
func (s *Server) edge(c *fiber.Ctx) error {
	if _, ok := c.Locals(exchangeKey{}).(*exchange); ok { // routed again, with another method
		return c.Next()
	}
	x := &exchange{s: s, c: c, began: s.Clock.Now(), id: s.boot + "-" + strconv.FormatUint(s.counter.Add(1), 36)}
	c.Locals(exchangeKey{}, x)
	x.headers()
	defer x.log()
	defer func() {
		if p := recover(); p != nil {
			x.cause = &panicError{p, debug.Stack()}
			c.Response().ResetBody()
			plain(c, fiber.StatusInternalServerError, "Internal server error")
		}
	}()
	if err := c.Next(); err != nil {
		x.unrouted()
	}
	return nil
}

// headers sets what all answers carry (source: events-and-register.md §8).
func (x *exchange) headers() {
	h := &x.c.Response().Header
	h.Set("X-Request-Id", x.id)
	h.Set("X-Content-Type-Options", "nosniff")
	api := strings.HasPrefix(x.c.Path(), "/api/")
	if api || strings.HasPrefix(x.c.Path(), sessionPrefix+"/") {
		h.Set(fiber.HeaderCacheControl, "max-age=0, no-cache, no-store, must-revalidate, private")
	}
	if api {
		h.Set(fiber.HeaderAccessControlAllowOrigin, "*")
		h.Set(fiber.HeaderAccessControlAllowHeaders, "Authorization")
		h.Set(fiber.HeaderAccessControlAllowMethods, "GET, POST, DELETE, PUT, PATCH, HEAD")
	}
}

// unrouted answers where no row has the path and the method.
func (x *exchange) unrouted() {
	allowed := x.s.allowed(x.c.Path())
	h := &x.c.Response().Header
	h.Del(fiber.HeaderAllow)
	if len(allowed) == 0 {
		plain(x.c, fiber.StatusNotFound, notFound)
		return
	}
	h.Set(fiber.HeaderAllow, strings.Join(allowed, ", "))
	switch x.c.Method() {
	case fiber.MethodOptions:
		x.c.Response().SetStatusCode(fiber.StatusNoContent)
		return
	case fiber.MethodPost:
		if err := x.read(kit.DefaultBodyLimit); err != nil {
			x.fail(err)
			return
		}
		if x.override() {
			h.Del(fiber.HeaderAllow)
			_ = x.c.RestartRouting() // finds the row that allowed has found
			return
		}
	}
	notAllowed(x.c, allowed)
}

// override turns a POST that says method=PATCH, or the like, into that (source: events-and-register.md §8).
func (x *exchange) override() bool {
	if x.c.Method() != fiber.MethodPost {
		return false
	}
	m := strings.ToUpper(x.in.inForm("method"))
	switch m {
	case fiber.MethodPatch, fiber.MethodPut, fiber.MethodDelete:
		if slices.Contains(x.s.allowed(x.c.Path()), m) {
			x.c.Method(m)
			return true
		}
	}
	return false
}

// serve answers the requests of a row.
func (s *Server) serve(r *row, session bool) fiber.Handler {
	return func(c *fiber.Ctx) error {
		x := c.Locals(exchangeKey{}).(*exchange)
		x.row, x.session = r, session
		if r.LocalOnly { // no page of another site may read what these give away
			c.Response().Header.Del(fiber.HeaderAccessControlAllowOrigin)
		}
		ctx, cancel := context.WithTimeout(s.base, s.cfg.HandlerTimeout)
		defer cancel()
		err := x.enter(ctx)
		if err == nil && x.override() {
			return c.RestartRouting()
		}
		var res any
		if err == nil {
			res, err = x.act(ctx)
		}
		if w, ok := res.(*kit.Wait); ok && w != nil && err == nil {
			cancel()
			res, err = x.wait(w)
		}
		if err == nil && !x.gone {
			err = success(c, res, x.ignored)
		}
		if err != nil {
			x.fail(err)
		}
		return nil
	}
}

// enter finds out who asks for what: after it the actor is known, has been counted, and the parameters have been read.
func (x *exchange) enter(ctx context.Context) error {
	err := x.origin(ctx)
	if err == nil && !x.row.Access.Open() {
		err = x.login(ctx)
	}
	if !x.counted {
		x.counted = true
		if limited := x.s.limits.count(x.c, x.actor.User, x.from(), x.began); limited != nil {
			return limited
		}
	}
	if err != nil {
		return err
	}
	return x.read(x.row.Limit)
}

// read reads the parameters, once. Errors: TooLarge, BadRequest.
func (x *exchange) read(limit int64) error {
	if x.in == nil {
		in := &params{max: x.s.cfg.Params.Count}
		if err := in.urlencoded(string(x.c.Request().URI().QueryString()), false); err != nil {
			return err
		}
		b := bodyOf(x.c.Context())
		if err := b.allow(limit); err != nil {
			return err
		}
		if err := in.body(string(x.c.Request().Header.ContentType()), b); err != nil {
			return err
		}
		x.in = in
	}
	if x.session {
		x.in.session = csrfParam
	}
	if x.row == nil {
		return nil
	}
	if name := x.in.first("client"); name != "" {
		x.actor.Client = shortName(name)
	}
	var err error
	x.in.path, err = x.row.pathOf(x.c)
	return err
}

func validText(s string) bool { return utf8.ValidString(s) }
