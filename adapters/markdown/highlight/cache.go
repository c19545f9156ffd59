package highlight

import (
	"container/list"
	"sync"
)

// maxMemory limits the estimated memory of all tables, in bytes. All lexers of Chroma take 40 MiB, which anyone could
// cause by using each language once.
const maxMemory = 12 << 20

// cache holds the tables that were used last.
type cache struct {
	mu    sync.Mutex
	order list.List // of *table, the newest first
	known map[*regexLexer]*list.Element
	size  int
}

// get returns the table of a lexer, and reads its rules if necessary.
func (c *cache) get(r *run, l *regexLexer) (*table, error) {
	t := c.use(l)
	if t.built.Load() {
		return t, t.err
	}
	err := r.prepare(func() error {
		t.once.Do(func() {
			t.err = t.build(r.Highlighter)
			c.grow(t, t.base)
			t.built.Store(true)
		})
		return t.err
	})
	return t, err
}

// use returns the table of a lexer as the newest one.
func (c *cache) use(l *regexLexer) *table {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.known[l]; e != nil {
		c.order.MoveToFront(e)
		return e.Value.(*table)
	}
	if c.known == nil {
		c.known = map[*regexLexer]*list.Element{}
	}
	t := &table{lexer: l}
	c.known[l] = c.order.PushFront(t)
	return t
}

// grow counts memory of a table and drops the oldest ones. Those in use end with their last user.
func (c *cache) grow(t *table, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.known[t.lexer]; e == nil || e.Value != t {
		return // dropped meanwhile
	}
	t.size += bytes
	c.size += bytes
	for e := c.order.Back(); c.size > maxMemory && e != c.order.Front(); e = c.order.Back() {
		old := c.order.Remove(e).(*table)
		delete(c.known, old.lexer)
		c.size -= old.size
	}
}
