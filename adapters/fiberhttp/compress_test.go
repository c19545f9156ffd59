package fiberhttp

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// TestCompressedLists checks which responses are compressed: large ones of endpoints that are declared so, for clients
// that accept it.
func TestCompressedLists(t *testing.T) {
	long := strings.Repeat("the quality of mercy ", minCompressed/20)
	list := func(_ context.Context, _ kit.Actor, in struct {
		Short bool `json:"short" default:"false"`
		Fail  bool `json:"fail" default:"false"`
	}) (map[string]string, error) {
		switch {
		case in.Fail:
			return nil, errs.Bad("%s", long)
		case in.Short:
			return map[string]string{"text": "short"}, nil
		}
		return map[string]string{"text": long}, nil
	}
	s := serve(t, []kit.Endpoint{
		kit.GET("/list", kit.Anyone, list, "").Compress(),
		kit.GET("/other", kit.Anyone, list, ""),
	})
	plain := s.do("GET /api/v1/list", callOptions{header: map[string]string{"Accept-Encoding": "identity"}})
	if !strings.Contains(plain.body, long) {
		t.Fatalf("uncompressed: %.200s", plain.body)
	}
	for name, c := range map[string]struct {
		call, accept string
		compressed   bool
	}{
		"accepted":          {"GET /api/v1/list", "gzip, deflate, br", true},
		"anything accepted": {"GET /api/v1/list", "*", true},
		"not accepted":      {"GET /api/v1/list", "br", false},
		"refused":           {"GET /api/v1/list", "gzip;q=0, *", false},
		"small":             {"GET /api/v1/list?short=true", "gzip", false},
		"an error":          {"GET /api/v1/list?fail=true", "gzip", false},
		"another endpoint":  {"GET /api/v1/other", "gzip", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.do(c.call, callOptions{header: map[string]string{"Accept-Encoding": c.accept}})
			varies := got.status == http.StatusOK && !strings.Contains(c.call, "other")
			if coding := got.header.Get("Content-Encoding"); (coding == "gzip") != c.compressed ||
				(got.header.Get("Vary") == "Accept-Encoding") != varies {
				t.Errorf("Content-Encoding %q, Vary %q", coding, got.header.Get("Vary"))
			}
			if c.compressed && unpacked(t, got.body) != plain.body {
				t.Error("its content differs")
			}
		})
	}
	head := s.do("HEAD /api/v1/list", callOptions{header: map[string]string{"Accept-Encoding": "gzip"}})
	if head.body != "" || head.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("HEAD: %d bytes, Content-Encoding %q", len(head.body), head.header.Get("Content-Encoding"))
	}
	lengths := map[int]bool{}
	for range 20 {
		a := s.do("GET /api/v1/list", callOptions{header: map[string]string{"Accept-Encoding": "gzip"}})
		lengths[len(a.body)] = true
	}
	if len(lengths) == 1 {
		t.Error("responses have no padding")
	}
}

// TestCompressionIsBounded checks that responses are sent as they are while others are being compressed.
func TestCompressionIsBounded(t *testing.T) {
	long := strings.Repeat("x", minCompressed)
	s := serve(t, []kit.Endpoint{
		kit.GET("/list", kit.Anyone, func(context.Context, kit.Actor, kit.None) (map[string]string, error) {
			return map[string]string{"text": long}, nil
		}, "").Compress(),
	})
	for range cap(s.server.gzip.busy) {
		s.server.gzip.busy <- struct{}{}
	}
	got := s.do("GET /api/v1/list", callOptions{header: map[string]string{"Accept-Encoding": "gzip"}})
	if got.header.Get("Content-Encoding") != "" || !strings.Contains(got.body, long) {
		t.Errorf("%v %.100s", got.header, got.body)
	}
}

func unpacked(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
