package s3

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/stoachat/stoa/ports"
)

// transport sends requests within their operation's limit (stall.go). The library repeats failed requests, and cleans
// up after failed uploads with requests that the operation's context does not cancel, so the limit is enforced here.
type transport struct{ next http.RoundTripper }

func newTransport(secure bool, limit time.Duration) (*transport, error) {
	next, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	next.DialContext = (&net.Dialer{Timeout: limit, KeepAlive: 30 * time.Second, Control: showProgress}).DialContext
	next.TLSHandshakeTimeout, next.ResponseHeaderTimeout = limit, 0 // the operation's limit applies
	return &transport{ports.TracedTransport("s3", next)}, nil
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	o, ok := req.Context().Value(operationKey{}).(*operation)
	if !ok {
		return t.next.RoundTrip(req)
	}
	trial, err := o.admit()
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithCancel(req.Context())
	forget := context.AfterFunc(o.stalled, cancel)
	end := func() { forget(); cancel() }
	o.wait()
	res, err := t.next.RoundTrip(o.observed(req.WithContext(ctx)))
	o.pause()
	if err != nil {
		end()
		if trial {
			o.m.release()
		}
		return nil, o.reason(err)
	}
	o.m.heard()
	res.Body = &received{ReadCloser: res.Body, o: o, end: end}
	return res, nil
}

// observed returns the request with a body that records progress.
func (o *operation) observed(req *http.Request) *http.Request {
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}
	req.Body = &sending{req.Body, o}
	if again := req.GetBody; again != nil {
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			return &sending{body, o}, err
		}
	}
	return req
}

// sending is the body of a request.
type sending struct {
	io.ReadCloser
	o *operation
}

// Read implements io.Reader. The connection reads more once it has sent most of what it had.
func (s *sending) Read(p []byte) (int, error) {
	s.o.sent()
	return s.ReadCloser.Read(p)
}

// received is the body of a response.
type received struct {
	io.ReadCloser
	o   *operation
	end func()
}

// Read implements io.Reader.
func (r *received) Read(p []byte) (int, error) {
	r.o.wait()
	n, err := r.ReadCloser.Read(p)
	r.o.pause()
	if n > 0 {
		r.o.m.heard()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.o.reason(err)
	}
	return n, err
}

// Close implements io.Closer.
func (r *received) Close() error {
	defer r.end()
	return r.ReadCloser.Close()
}
