package fiberhttp

import (
	"bytes"
	linked "container/list"
	"crypto/sha256"
	"runtime"
	"sync"

	"github.com/klauspost/compress/flate"
)

// segments compresses parts of responses, and keeps the results, since many clients receive the same lists of users and
// channels. The cache key is a hash of the text, so a result is never out of date.
type segments struct {
	// busy has an element per part that is being compressed. While it is full, parts are sent uncompressed, so that no
	// number of clients can take all processors for this. Rate limits bound what each of them can request.
	busy    chan struct{}
	writers *sync.Pool

	mu     sync.Mutex
	kept   map[[sha256.Size]byte]*linked.Element
	recent *linked.List // of *segment, those used last first
	size   int          // bytes
}

type segment struct {
	key  [sha256.Size]byte
	text []byte
}

const (
	minSegment = 512      // bytes; below, a part is sent as it is
	maxKept    = 16 << 20 // bytes of all segments together
)

func newSegments() *segments {
	return &segments{
		busy: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		writers: &sync.Pool{New: func() any {
			w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
			return w
		}},
		kept: map[[sha256.Size]byte]*linked.Element{}, recent: linked.New(),
	}
}

// deflated compresses text independently of other text and returns the blocks (RFC 1951), which end at a byte boundary.
// It returns nil if the text is too short or too many are being compressed. Callers must not modify the result.
func (c *segments) deflated(text []byte) []byte {
	if len(text) < minSegment {
		return nil
	}
	key := sha256.Sum256(text)
	if found := c.get(key); found != nil {
		return found
	}
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	default:
		return nil
	}
	w := c.writers.Get().(*flate.Writer)
	defer c.writers.Put(w)
	out := bytes.NewBuffer(make([]byte, 0, len(text)/8))
	w.Reset(out) // forgets earlier texts
	if _, err := w.Write(text); err != nil {
		return nil
	}
	if err := w.Flush(); err != nil {
		return nil
	}
	c.put(&segment{key, bytes.Clone(out.Bytes())})
	return out.Bytes()
}

func (c *segments) get(key [sha256.Size]byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.kept[key]
	if at == nil {
		return nil
	}
	c.recent.MoveToFront(at)
	return at.Value.(*segment).text
}

func (c *segments) put(s *segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept[s.key] != nil || len(s.text) > maxKept/4 {
		return
	}
	c.kept[s.key] = c.recent.PushFront(s)
	for c.size += len(s.text); c.size > maxKept; {
		oldest := c.recent.Remove(c.recent.Back()).(*segment)
		delete(c.kept, oldest.key)
		c.size -= len(oldest.text)
	}
}
