package fiberhttp

import (
	"net/http"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

// Requests that intermediaries may parse differently are refused, and their connections are not read any further.
func TestAmbiguousRequests(t *testing.T) {
	s := serve(
		t,
		[]kit.Endpoint{kit.GET("/open", kit.Anyone, whoami, ""), kit.POST("/sent", kit.Anyone, whoami, "")},
		unlimited,
	)
	const get, post, second = "GET /api/v1/open HTTP/1.1\r\n", "POST /api/v1/sent HTTP/1.1\r\n",
		"GET /api/v1/open HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, c := range []struct {
		name, text string
		good       bool
	}{
		{"plain", get + "Host: x\r\n\r\n", true},
		{"chunked", post + "Host: x\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", true},
		{"HTTP/1.0 without host", "GET /api/v1/open HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
		{"no host", get + "\r\n", false},
		{"two hosts", get + "Host: x\r\nHost: y\r\n\r\n", false},
		{"the same host twice", get + "Host: x\r\nhOST: x\r\n\r\n", false},
		{"length and chunks", post + "Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false},
		{"chunks and length", post + "Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", false},
		{"identity", post + "Host: x\r\nTransfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n", false},
		{"unknown coding", post + "Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", false},
		{"chunked twice", post + "Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			false},
		{"two lengths", post + "Host: x\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", false},
		{"several lines", get + "Host: x\r\nX-A: b\r\n c\r\n\r\n", false},
		{"space before the colon", post + "Host: x\r\nContent-Length : 0\r\n\r\n", false},
	} {
		conn, r := s.dial()
		send(t, conn, c.text+second)
		_ = conn.(interface{ CloseWrite() error }).CloseWrite()
		want := http.StatusBadRequest
		if c.good {
			want = http.StatusOK
		}
		res, err := http.ReadResponse(r, nil)
		if err != nil || res.StatusCode != want {
			t.Errorf("%s: %v, %v", c.name, res, err)
			continue
		}
		if _, err := r.Discard(int(res.ContentLength)); err != nil {
			t.Fatal(err)
		}
		if _, err := http.ReadResponse(r, nil); (err == nil) != c.good {
			t.Errorf("%s: another request was answered: %v", c.name, err == nil)
		}
	}
}
