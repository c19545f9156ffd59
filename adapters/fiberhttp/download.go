package fiberhttp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/modules/kit"
)

// download responds with a file, a range of it, or 304 if the client's copy is current (RFC 9110, sections 13 and 14).
// HEAD is not redirected: scripts in pages can read the size of a file only from this server.
func (x *request) download(d *kit.Download) {
	if d.RedirectURL != "" && x.c.Method() != fiber.MethodHead {
		x.redirect(kit.Redirect{To: d.RedirectURL})
		return
	}
	h := &x.res.Header
	for name, value := range d.Header {
		h.Set(name, value)
	}
	modified := d.Modified.UTC().Truncate(time.Second)
	if !d.Modified.IsZero() {
		h.Set(fiber.HeaderLastModified, modified.Format(http.TimeFormat))
	}
	tag := ""
	if d.ETag != "" {
		tag = `"` + d.ETag + `"`
		h.Set(fiber.HeaderETag, tag)
	}
	switch x.condition(tag, modified) {
	case fiber.StatusNotModified:
		x.res.SetStatusCode(fiber.StatusNotModified)
		return
	case fiber.StatusPreconditionFailed:
		h.Set(fiber.HeaderCacheControl, "no-store")
		plain(x.res, fiber.StatusPreconditionFailed, "The file does not meet the conditions of the request.")
		return
	}
	h.Set(fiber.HeaderAcceptRanges, "bytes")
	from, n, status := int64(0), d.Size, fiber.StatusOK
	if x.rangeHolds(tag, modified) {
		var ok bool
		switch from, n, ok = byteRange(x.header(fiber.HeaderRange), d.Size); {
		case !ok:
			h.Set(fiber.HeaderContentRange, "bytes */"+strconv.FormatInt(d.Size, 10))
			h.Set(fiber.HeaderCacheControl, "no-store")
			plain(x.res, fiber.StatusRequestedRangeNotSatisfiable, "The requested range is outside the file.")
			return
		case n != d.Size:
			status = fiber.StatusPartialContent
		}
	}
	x.stream(d, status, from, n)
}

// stream sends n bytes of a file, starting at offset from.
func (x *request) stream(d *kit.Download, status int, from, n int64) {
	h := &x.res.Header
	if x.c.Method() == fiber.MethodHead {
		x.res.SkipBody = true
		h.SetContentLength(int(n))
	} else {
		ctx, cancel := context.WithCancel(x.s.base) // the response is sent after the handler has returned
		r, err := d.Open(ctx, from, n)
		if err != nil {
			cancel()
			for name := range d.Header {
				h.Del(name)
			}
			for _, name := range []string{fiber.HeaderETag, fiber.HeaderLastModified, fiber.HeaderAcceptRanges,
				fiber.HeaderContentRange} {
				h.Del(name)
			}
			h.Set("X-Content-Type-Options", "nosniff")
			x.fail(err)
			return
		}
		x.res.SetBodyStream(&downloadBody{r: r, conn: x.c.Context().Conn(), timeout: x.s.cfg.WriteTimeout, cancel: cancel,
			failed: x.s.downloadFailed(x.id, x.routeName())}, int(n))
	}
	if status == fiber.StatusPartialContent {
		h.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes %d-%d/%d", from, from+n-1, d.Size))
	}
	h.SetContentType(d.Type)
	h.Set(fiber.HeaderContentDisposition, d.Disposition())
	x.res.SetStatusCode(status)
}

// header returns the value of a request header.
func (x *request) header(header string) string { return string(x.c.Request().Header.Peek(header)) }

// condition evaluates the request's preconditions and returns the status if one fails, or 0 if all hold.
func (x *request) condition(tag string, modified time.Time) int {
	if match := x.header(fiber.HeaderIfMatch); match != "" {
		if !matchesTag(match, tag, false) {
			return fiber.StatusPreconditionFailed
		}
	} else if t, err := http.ParseTime(x.header(fiber.HeaderIfUnmodifiedSince)); err == nil && modified.After(t) {
		return fiber.StatusPreconditionFailed
	}
	if ifNoneMatch := x.header(fiber.HeaderIfNoneMatch); ifNoneMatch != "" {
		if matchesTag(ifNoneMatch, tag, true) {
			return fiber.StatusNotModified
		}
	} else if t, err := http.ParseTime(x.header(fiber.HeaderIfModifiedSince)); err == nil && !modified.After(t) {
		return fiber.StatusNotModified
	}
	return 0
}

// rangeHolds reports whether the Range header applies. If-Range rules it out if the client has a different version.
func (x *request) rangeHolds(tag string, modified time.Time) bool {
	if x.header(fiber.HeaderRange) == "" {
		return false
	}
	ifRange := x.header(fiber.HeaderIfRange)
	if ifRange == "" || tag != "" && ifRange == tag {
		return true
	}
	t, err := http.ParseTime(ifRange)
	return err == nil && t.Equal(modified)
}

// matchesTag reports whether a list of entity tags contains tag, by weak comparison if weak is set.
func matchesTag(list, tag string, weak bool) bool {
	for element := range strings.SplitSeq(list, ",") {
		element = strings.TrimSpace(element)
		if weak {
			element = strings.TrimPrefix(element, "W/")
		}
		if element == "*" || tag != "" && element == tag {
			return true
		}
	}
	return false
}

// byteRange parses a Range header for a file of the given size. Anything but a single byte range selects the whole
// file. ok is false if the range begins beyond the end.
func byteRange(header string, size int64) (from, n int64, ok bool) {
	spec, isBytes := strings.CutPrefix(header, "bytes=")
	first, last, isRange := strings.Cut(strings.TrimSpace(spec), "-")
	if !isBytes || !isRange || strings.Contains(spec, ",") {
		return 0, size, true
	}
	if first == "" {
		tail, err := strconv.ParseUint(last, 10, 63)
		switch {
		case err != nil:
			return 0, size, true
		case tail == 0 || size == 0:
			return 0, 0, false
		}
		n = min(int64(tail), size) // of 63 bits
		return size - n, n, true
	}
	a, err := strconv.ParseUint(first, 10, 63)
	if err != nil {
		return 0, size, true
	}
	b := uint64(1<<63 - 1)
	if last != "" {
		if b, err = strconv.ParseUint(last, 10, 63); err != nil || b < a {
			return 0, size, true
		}
	}
	from = int64(a) // of 63 bits
	if from >= size {
		return 0, 0, false
	}
	return from, min(int64(b), size-1) - from + 1, true
}

// bytesPerDeadline is how many bytes a connection must transfer before its deadline is extended. Slower clients are
// disconnected.
const bytesPerDeadline = 128 << 10

// downloadBody is the body of a download. It may take any time while the client keeps reading.
type downloadBody struct {
	r             io.ReadCloser
	conn          net.Conn
	timeout       time.Duration
	cancel        context.CancelFunc
	failed        func(error) // called when the file cannot be read
	sinceDeadline int
}

// Read implements io.Reader.
func (s *downloadBody) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.failed(err)
	}
	if s.sinceDeadline += n; s.sinceDeadline >= bytesPerDeadline {
		s.sinceDeadline = 0
		if err := s.conn.SetWriteDeadline(deadline(s.timeout)); err != nil {
			return n, err
		}
	}
	return n, err
}

// downloadFailed returns a function that logs why a response was cut off. Its log line has been written already.
func (s *Server) downloadFailed(id, route string) func(error) {
	return func(err error) {
		s.Log.LogAttrs(s.base, slog.LevelWarn, "a download was cut off", slog.String("request", id),
			slog.String("route", route), slog.String("err", err.Error()))
	}
}

// Close ends the download and closes the file.
func (s *downloadBody) Close() error {
	defer s.cancel()
	return s.r.Close()
}
