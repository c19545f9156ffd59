package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/ports"
)

var _ ports.Downloads = (*caller)(nil)

// maxWait limits how long a server can ask to wait.
const maxWait = 24 * time.Hour

// Download implements ports.Downloads. The timeout of calls is how long the server may be silent.
func (c *caller) Download(ctx context.Context, d importing.DownloadRequest) (*importing.DownloadReply, error) {
	u, err := url.Parse(d.URL)
	if err != nil {
		return nil, errs.Bad("Invalid URL")
	}
	if err := c.guard.Address(u); err != nil {
		return nil, errs.Bad("The address of the service is not allowed").Because(err)
	}
	within, cancel := context.WithCancelCause(ctx)
	silence := time.AfterFunc(c.config.Timeout, func() { cancel(context.DeadlineExceeded) })
	end := func() { silence.Stop(); cancel(nil) }
	req, err := http.NewRequestWithContext(within, http.MethodGet, u.String(), nil)
	if err != nil {
		end()
		return nil, errs.Bad("Invalid URL")
	}
	req.Header.Set("User-Agent", c.config.UserAgent)
	if d.Token != "" {
		req.Header.Set("Authorization", "Bearer "+d.Token)
	}
	if d.Offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.Offset))
		if d.Validator != "" {
			req.Header.Set("If-Range", d.Validator)
		}
	}
	res, err := c.client.Do(req) //nolint:bodyclose // the caller closes it
	if about := (*url.Error)(nil); errors.As(err, &about) {
		err = about.Err // without the URL, which may contain secrets
	}
	if err != nil {
		silent := context.Cause(within)
		end()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case silent != nil:
			return nil, silent
		}
		return nil, temporary(err)
	}
	reply := &importing.DownloadReply{
		Status: res.StatusCode, Validator: validator(res.Header), RetryAfter: retryAfter(res.Header),
		Content: &content{ReadCloser: res.Body, ctx: within, silence: silence, limit: c.config.Timeout, end: end},
	}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err == nil {
		reply.MediaType = kind
	}
	if to, err := res.Location(); err == nil {
		reply.Location = to.String()
	}
	if res.StatusCode == http.StatusPartialContent {
		reply.Start = rangeStart(res.Header.Get("Content-Range"))
	}
	return reply, nil
}

// validator returns a strong validator, which identifies the bytes of a file.
func validator(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return h.Get("Last-Modified")
}

// retryAfter returns how long a server asks to wait, if it says so in seconds.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.ParseInt(h.Get("Retry-After"), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, maxWait)
}

// rangeStart returns the first byte that a Content-Range names, or -1.
func rangeStart(header string) int64 {
	of, ok := strings.CutPrefix(header, "bytes ")
	first, _, found := strings.Cut(of, "-")
	n, err := strconv.ParseInt(first, 10, 64)
	if !ok || !found || err != nil || n < 0 {
		return -1
	}
	return n
}

// content is the body of a reply, which fails if the server is silent.
type content struct {
	io.ReadCloser
	ctx     context.Context //nolint:containedctx // that of the request
	silence *time.Timer
	limit   time.Duration
	end     func()
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if n > 0 {
		c.silence.Reset(c.limit)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		if cause := context.Cause(c.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (c *content) Close() error {
	err := c.ReadCloser.Close()
	c.end()
	return err
}
