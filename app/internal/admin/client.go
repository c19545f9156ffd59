package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

const readWithin = 10 * time.Second // for the header of a call

// ErrNotRunning reports that no server runs on a data folder.
var ErrNotRunning = errors.New("no server is running")

// Client calls the server that runs on a data folder.
type Client struct {
	socket string
	http   *http.Client
}

// Dial returns a client for a data folder. It connects with the first call.
func Dial(dataDir string) *Client {
	c := &Client{socket: path(dataDir)}
	c.http = &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", c.socket)
		},
	}}
	return c
}

// Running reports whether a server runs on the data folder.
func (c *Client) Running(ctx context.Context) bool {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.socket)
	return err == nil && conn.Close() == nil
}

// Call calls a route, such as "POST /log/level", and decodes the answer into out. Errors: those of Stream.
func (c *Client) Call(ctx context.Context, route string, in, out any) error {
	body, err := c.Stream(ctx, route, in)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	return json.NewDecoder(body).Decode(out)
}

// Stream calls a route and returns the answer as it comes. Errors: ErrNotRunning, with the path of the socket; a
// sentence about whose socket it is; *errs.Error of the server.
func (c *Client) Stream(ctx context.Context, route string, in any) (io.ReadCloser, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	method, path, _ := strings.Cut(route, " ")
	req, err := http.NewRequestWithContext(ctx, method, "http://stoa"+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%w at %s; start it, or name its data folder with --data-dir", ErrNotRunning, c.socket)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the socket %s belongs to another user; run this as the user of the server, or as root",
			c.socket)
	case err != nil:
		return nil, fmt.Errorf("the server at %s: %w", c.socket, cause(err))
	case res.StatusCode == http.StatusOK:
		return &body{res.Body, res}, nil
	}
	defer func() { _ = res.Body.Close() }()
	var r refusal
	if err := json.NewDecoder(res.Body).Decode(&r); err != nil {
		return nil, fmt.Errorf("the server at %s: %w", c.socket, err)
	}
	return nil, r.err()
}

// body ends with the error of a call that has failed after a part of the answer.
type body struct {
	io.ReadCloser
	res *http.Response // whose trailers are complete at the end
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !errors.Is(err, io.EOF) || b.res.Trailer.Get(errorTrailer) == "" {
		return n, err
	}
	var r refusal
	if err := json.Unmarshal([]byte(b.res.Trailer.Get(errorTrailer)), &r); err != nil {
		return n, err
	}
	return n, r.err()
}
