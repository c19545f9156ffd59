package render

import (
	"bytes"
	"sync"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// Row is the part of a message that its row determines, encoded.
type Row struct {
	Topic string
	Size  int    // of the content in bytes
	json  []byte // the fields of Stored, without the braces
}

// Encode encodes a message's row, in HTML or Markdown.
func Encode(m *message.Message, html bool) (*Row, error) {
	part := stored(m, html)
	b, err := kit.AppendJSON(nil, part)
	return &Row{m.Topic, len(part.Content), bytes.Clone(inner(b))}, err // without unused capacity, because it is cached
}

// inner returns the fields of an encoded object.
func inner(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b[1 : len(b)-1]
}

// Rows caches encoded rows for all readers. A row is found by its ID and its stamp, which changes with every change of
// the row, so whoever has read the stamp gets the row of that moment, and nothing is ever invalidated. What depends on
// anything but the row, such as names and permissions, is not in it.
type Rows struct {
	half int // bytes in each generation

	mu         sync.Mutex
	young, old map[rowKey]*Row // when young is full, it replaces old
	size       int             // of young in bytes
}

type rowKey struct {
	id    message.ID
	stamp int64
	html  bool
}

// rowOverhead is about what an entry takes in addition to its texts, in bytes.
const rowOverhead = 160

// NewRows returns a cache of at most limit bytes.
func NewRows(limit int) *Rows { return &Rows{half: limit / 2, young: map[rowKey]*Row{}} }

// Get returns the row of a message of which the ID and the stamp are known, or nil.
func (c *Rows) Get(m *message.Message, html bool) *Row {
	k := rowKey{m.ID, m.Stamp, html}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.young[k]; r != nil {
		return r
	}
	r := c.old[k]
	if r != nil {
		c.add(k, r)
	}
	return r
}

// Put caches a row that was encoded from m.
func (c *Rows) Put(m *message.Message, html bool, r *Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(rowKey{m.ID, m.Stamp, html}, r)
}

// add adds a row to the young generation. The caller must hold c.mu.
func (c *Rows) add(k rowKey, r *Row) {
	size := len(r.json) + len(r.Topic) + rowOverhead
	if size > c.half {
		return
	}
	if c.size += size; c.size > c.half {
		c.young, c.old, c.size = map[rowKey]*Row{}, c.young, size
	}
	c.young[k] = r
}
