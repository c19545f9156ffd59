package fiberhttp

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"

	"github.com/stoachat/stoa/modules/kit"
)

// Limits on responses that are compressed, in bytes. Below the first the time for a round trip matters more, and the
// second bounds the CPU time per response.
const (
	minCompressed = 32 << 10
	maxCompressed = 64 << 20
)

// maxPadding is the maximum number of bytes by which a compressed response is lengthened.
const maxPadding = 128

// compressor compresses responses.
//
// The length of compressed data reveals whether two of its parts are equal (BREACH, CVE-2013-3587). Somebody who reads
// lengths on the network, chooses a part of a response, and makes a victim's browser request it thousands of times can
// therefore guess a secret in it, character by character. Only endpoints declared with [kit.Endpoint.Compress] are
// compressed: registrations and the lists of users and channels. All other responses, such as messages, keys and pages
// with a CSRF token, are sent uncompressed. Registrations can contain the keys of the user's bots next to texts of
// other users. But no other site can request one: it would need the page's CSRF token or an API key. A user's client
// registers when it starts, and no other user can make it do so, so that there are as few guesses as starts. A random
// padding makes guesses by length unreliable even then.
type compressor struct {
	// busy has an element per response that is being compressed. While it is full, responses are sent uncompressed, so
	// that no number of clients can take all processors for this. Rate limits bound what each of them can request.
	busy    chan struct{}
	writers *sync.Pool
}

func newCompressor() compressor {
	return compressor{
		busy: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		writers: &sync.Pool{New: func() any {
			w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
			return w
		}},
	}
}

// compress compresses the response if its endpoint, its size and the client allow it.
func (x *request) compress() {
	if x.c == nil || !x.route.Compressed {
		return
	}
	x.res.Header.Add(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	body := x.res.Body()
	if len(body) < minCompressed || len(body) > maxCompressed ||
		!kit.AcceptsCoding(x.header(fiber.HeaderAcceptEncoding), "gzip") {
		return
	}
	select {
	case x.s.gzip.busy <- struct{}{}:
		defer func() { <-x.s.gzip.busy }()
	default:
		return
	}
	if packed, err := x.s.gzip.pack(body); err == nil {
		x.res.SetBodyRaw(packed)
		x.res.Header.Set(fiber.HeaderContentEncoding, "gzip")
	}
}

func (c *compressor) pack(b []byte) ([]byte, error) {
	w := c.writers.Get().(*gzip.Writer)
	defer c.writers.Put(w)
	out := bytes.NewBuffer(make([]byte, 0, len(b)/8))
	w.Reset(out)
	w.Name = strings.Repeat("-", rand.IntN(maxPadding+1)) // readers skip it
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
