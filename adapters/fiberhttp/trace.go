package fiberhttp

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/ports"
)

// traced begins the span of a request, and returns a context that carries it. Only trusted proxies continue a trace.
func (x *request) traced(ctx context.Context) context.Context {
	if x.s.Traces == nil {
		return ctx
	}
	parent := ""
	if x.s.trusts(x.remoteAddr()) {
		parent = string(x.c.Request().Header.Peek("Traceparent"))
	}
	route := x.routeName()
	ctx, x.span = x.s.Traces.Begin(ctx, ports.SpanRequest, x.method+" "+route, parent)
	x.span.Label("http.request.method", x.method)
	x.span.Label("http.route", route)
	x.span.Label("stoa.request", x.id)
	return ctx
}

// errInternal marks the span of a request that has failed because of the server.
var errInternal = errors.New("internal error")

// endSpan ends the span of the request, if it has not ended.
func (x *request) endSpan() {
	if x.span == nil {
		return
	}
	var err error
	if x.res.StatusCode() >= fiber.StatusInternalServerError {
		err = errInternal
	}
	x.span.End(err)
	x.span = nil
}
