package fiberhttp

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
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
	}) (kit.Object, error) {
		switch {
		case in.Fail:
			return nil, errs.Bad("%s", long)
		case in.Short:
			return kit.Object{"text": kit.Compressible("short")}, nil
		}
		return kit.Object{
			"a": kit.Compressible(long), "key": strings.Repeat("secret", 1<<14), "list": kit.Compressible([]string{long, "x"}),
			"short": kit.Compressible("x"), "tail": 7,
		}, nil
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

// TestSecretsAreNotCompressed checks that what is not declared to be compressible is sent as it is, and that the length
// of a response does not depend on whether texts are equal.
func TestSecretsAreNotCompressed(t *testing.T) {
	guess := strings.Repeat("Xq7", minSegment)
	answer := func(_ context.Context, _ kit.Actor, in struct {
		Key string `json:"key"`
	}) (kit.Object, error) {
		return kit.Object{
			"before": kit.Compressible(guess), "key": in.Key, "later": kit.Compressible(strings.Repeat(guess, 30)),
		}, nil
	}
	s := serve(t, []kit.Endpoint{kit.GET("/list", kit.Anyone, answer, "").Compress()})
	lengths := map[int]bool{}
	for _, key := range []string{guess[:300], strings.Repeat("A-_", 100)} {
		got := s.do("GET /api/v1/list?key="+key, callOptions{header: map[string]string{"Accept-Encoding": "gzip"}})
		if got.header.Get("Content-Encoding") != "gzip" || !strings.Contains(got.body, `"key":"`+key+`"`) {
			t.Errorf("Content-Encoding %q; the key is compressed", got.header.Get("Content-Encoding"))
		}
		lengths[len(got.body)-strings.IndexByte(got.body[10:], 0)] = true // without padding
	}
	if len(lengths) != 1 {
		t.Errorf("the length depends on whether texts are equal: %v", lengths)
	}
}

// TestSegmentsAreSelfContained checks that a segment can be read alone, and depends only on its own text.
func TestSegmentsAreSelfContained(t *testing.T) {
	long := strings.Repeat("the quality of mercy ", 100)
	first, again := newSegments(), newSegments()
	again.deflated([]byte(long + long)) // by the same writer
	a, b := first.deflated([]byte(long)), again.deflated([]byte(long))
	if len(a) == 0 || !bytes.Equal(a, b) || !bytes.Equal(a, first.deflated([]byte(long))) {
		t.Errorf("%d and %d bytes", len(a), len(b))
	}
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(append(slices.Clone(a), 1, 0, 0, 0xff, 0xff))))
	if err != nil || string(text) != long {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// TestSegmentsAreBounded checks that the segments used least recently are forgotten.
func TestSegmentsAreBounded(t *testing.T) {
	c, random := newSegments(), rand.New(rand.NewPCG(1, 2))
	noise := func() []byte { // cannot be compressed
		text := make([]byte, 1<<20)
		for i := range text {
			text[i] = byte(random.IntN(256))
		}
		return text
	}
	first, second := noise(), noise()
	c.deflated(first)
	c.deflated(second)
	for range 20 {
		c.deflated(noise())
		c.deflated(first)
	}
	if c.get(sha256.Sum256(first)) == nil || c.get(sha256.Sum256(second)) != nil || c.size > maxKept ||
		c.recent.Len() != len(c.kept) {
		t.Errorf("%d bytes in %d segments", c.size, len(c.kept))
	}
}

// TestCompressionIsBounded checks that responses are sent as they are while others are being compressed.
func TestCompressionIsBounded(t *testing.T) {
	long := strings.Repeat("x", minCompressed)
	s := serve(t, []kit.Endpoint{
		kit.GET("/list", kit.Anyone, func(context.Context, kit.Actor, kit.None) (kit.Object, error) {
			return kit.Object{"text": kit.Compressible(long)}, nil
		}, "").Compress(),
	})
	for range cap(s.server.segments.busy) {
		s.server.segments.busy <- struct{}{}
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
