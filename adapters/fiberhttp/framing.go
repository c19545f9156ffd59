package fiberhttp

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// ambiguous reports whether another server on the way could read the request differently: where it ends, or which
// host it is for. fasthttp refuses repeated lengths and unknown codings.
func ambiguous(h *fasthttp.RequestHeader) bool {
	hosts, lengths, codings := 0, 0, 0
	for line := range bytes.Lines(h.RawHeaders()) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.ContainsAny(name, " \t"): // of a name that ends with a space, or of a header in several lines
			return true
		case bytes.EqualFold(name, []byte(fiber.HeaderHost)):
			hosts++
		case bytes.EqualFold(name, []byte(fiber.HeaderContentLength)):
			lengths++
		case bytes.EqualFold(name, []byte(fiber.HeaderTransferEncoding)):
			codings++
			if !bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked")) {
				return true
			}
		}
	}
	return hosts > 1 || hosts == 0 && h.IsHTTP11() || codings > 1 || codings > 0 && lengths > 0
}

// framed refuses ambiguous requests, and ends their connections: what follows may be part of the body.
func framed(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if !ambiguous(&ctx.Request.Header) {
			next(ctx)
			return
		}
		plain(&ctx.Response, fiber.StatusBadRequest, "The request can't be read.")
		ctx.SetConnectionClose()
		if c, ok := ctx.Conn().(*conn); ok {
			c.unread = true
		}
	}
}
