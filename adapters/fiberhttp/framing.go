package fiberhttp

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// ambiguous reports whether an intermediary could read the request differently, with another end or another host.
// fasthttp itself refuses repeated lengths and unknown codings.
func ambiguous(h *fasthttp.RequestHeader) bool {
	hosts, lengths, codings := 0, 0, 0
	for line := range bytes.Lines(h.RawHeaders()) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.ContainsAny(name, " \t"): // a name ending with a space, or a folded header
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

// framed refuses ambiguous requests and closes their connections, since what follows may be part of the body.
func framed(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if !ambiguous(&ctx.Request.Header) {
			next(ctx)
			return
		}
		plain(&ctx.Response, fiber.StatusBadRequest, "The request can't be read.")
		ctx.SetConnectionClose()
		if c, ok := ctx.Conn().(*conn); ok {
			c.lingers = true
		}
	}
}
