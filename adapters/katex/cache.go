package katex

import (
	"container/list"
	"sync"
)

type key struct {
	tex     string
	display bool
}

// rendering holds the HTML of a formula, or the error if it cannot be rendered.
type rendering struct {
	html     string
	err      error
	unusable bool // the machine must not be reused
}

type entry struct {
	key       key
	rendering rendering
}

// overhead is the approximate size of an entry without its texts, in bytes.
const overhead = 200

func (e *entry) size() int { return len(e.key.tex) + len(e.rendering.html) + overhead }

// cache is an LRU cache of renderings, limited in bytes.
type cache struct {
	mu    sync.Mutex
	limit int
	size  int
	order list.List // of *entry, most recently used first
	by    map[key]*list.Element
}

func (c *cache) get(k key) (rendering, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.by[k]
	if !ok {
		return rendering{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry).rendering, true
}

func (c *cache) put(k key, d rendering) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[key]*list.Element{}
	}
	if _, ok := c.by[k]; ok {
		return
	}
	e := &entry{k, d}
	c.by[k] = c.order.PushFront(e)
	for c.size += e.size(); c.size > c.limit; {
		last := c.order.Remove(c.order.Back()).(*entry)
		c.size -= last.size()
		delete(c.by, last.key)
	}
}
