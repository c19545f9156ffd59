package fiberhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stoachat/stoa/modules/kit"
)

// TestBrokenDownload checks that if the store fails while a file is sent, the client notices: the connection is closed,
// and the response is never completed.
func TestBrokenDownload(t *testing.T) {
	const size, sent = 1 << 20, 300_000
	s := serve(t, []kit.Endpoint{
		kit.GET("/file", kit.Anyone, func(context.Context, kit.Actor, kit.None) (*kit.Download, error) {
			return &kit.Download{Name: "x", Type: "text/plain", Size: size,
				Open: func(context.Context, int64, int64) (io.ReadCloser, error) {
					return io.NopCloser(io.MultiReader(strings.NewReader(strings.Repeat("x", sent)),
						iotest.ErrReader(errors.New("the store hangs")))), nil
				}}, nil
		}, ""),
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr+"/api/v1/file", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK || res.ContentLength != size || !errors.Is(err, io.ErrUnexpectedEOF) ||
		len(got) > sent {
		t.Errorf("%d, %d of %d bytes, %v", res.StatusCode, len(got), res.ContentLength, err)
	}
	if !strings.Contains(s.log.String(), `route=/api/v1/file err="the store hangs"`) {
		t.Errorf("not logged:\n%s", s.log.String())
	}
}

// TestRedirectedDownload checks that clients are sent to the store for a file, but not for its size.
func TestRedirectedDownload(t *testing.T) {
	s := serve(t, []kit.Endpoint{
		kit.GET("/file", kit.Anyone, func(context.Context, kit.Actor, kit.None) (*kit.Download, error) {
			return &kit.Download{Name: "x", Type: "text/plain", Size: 7, RedirectURL: "https://store.example.com/x"}, nil
		}, ""),
	})
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if a := s.do("GET /api/v1/file", callOptions{}); a.status != 302 ||
		a.header.Get("Location") != "https://store.example.com/x" {
		t.Errorf("%d to %q", a.status, a.header.Get("Location"))
	}
	if a := s.do("HEAD /api/v1/file", callOptions{}); a.status != 200 || a.header.Get("Content-Length") != "7" {
		t.Errorf("%d, %s bytes", a.status, a.header.Get("Content-Length"))
	}
}
