package directory

import "iter"

// intMap is a persistent map from IDs to values: with and without return a new map that shares all but one path with
// the old one, so that a new version of a view costs microseconds regardless of the size of the realm. The zero value
// is empty. Keys are not negative.
type intMap[K ~int64, V any] struct {
	root  *node[V]
	shift uint // of the root's digit
}

const (
	digit = 5
	width = 1 << digit
)

type node[V any] struct {
	kids [width]*node[V] // inner
	vals []leafValue[V]  // leaf: one per key digit, nil where absent
}

type leafValue[V any] struct {
	v  V
	ok bool
}

func (m intMap[K, V]) get(k K) (v V, ok bool) {
	if k < 0 || m.root == nil || uint64(k)>>m.shift >= width {
		return v, false
	}
	n := m.root
	for s := m.shift; s > 0; s -= digit {
		if n = n.kids[uint64(k)>>s%width]; n == nil {
			return v, false
		}
	}
	e := n.vals[uint64(k)%width]
	return e.v, e.ok
}

func (m intMap[K, V]) with(k K, v V) intMap[K, V] {
	if m.root == nil {
		m.root = &node[V]{vals: make([]leafValue[V], width)}
	}
	for uint64(k)>>m.shift >= width {
		up := &node[V]{}
		up.kids[0] = m.root
		m.root, m.shift = up, m.shift+digit
	}
	m.root = m.root.with(uint64(k), m.shift, leafValue[V]{v, true})
	return m
}

// put is like with, but modifies the map in place. No other version of it may exist.
func (m *intMap[K, V]) put(k K, v V) {
	if m.root == nil || uint64(k)>>m.shift >= width {
		*m = m.with(k, v)
		return
	}
	n := m.root
	for s := m.shift; s > 0; s -= digit {
		kid := &n.kids[uint64(k)>>s%width]
		if *kid == nil {
			*kid = &node[V]{}
		}
		n = *kid
	}
	if n.vals == nil {
		n.vals = make([]leafValue[V], width)
	}
	n.vals[uint64(k)%width] = leafValue[V]{v, true}
}

func (m intMap[K, V]) without(k K) intMap[K, V] {
	if _, had := m.get(k); !had {
		return m
	}
	m.root = m.root.with(uint64(k), m.shift, leafValue[V]{})
	return m
}

func (n *node[V]) with(k uint64, shift uint, e leafValue[V]) *node[V] {
	c := &node[V]{}
	if n != nil {
		c.kids = n.kids
	}
	if shift > 0 {
		i := k >> shift % width
		c.kids[i] = c.kids[i].with(k, shift-digit, e)
		return c
	}
	c.vals = make([]leafValue[V], width)
	if n != nil {
		copy(c.vals, n.vals)
	}
	c.vals[k%width] = e
	return c
}

// all iterates over the entries in ascending order of keys.
func (m intMap[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if m.root != nil {
			walk(m.root, 0, m.shift, yield)
		}
	}
}

func walk[K ~int64, V any](n *node[V], prefix uint64, shift uint, yield func(K, V) bool) bool {
	if shift == 0 {
		for i, e := range n.vals {
			if e.ok && !yield(K(prefix<<digit|uint64(i)), e.v) {
				return false
			}
		}
		return true
	}
	for i, kid := range n.kids {
		if kid != nil && !walk(kid, prefix<<digit|uint64(i), shift-digit, yield) {
			return false
		}
	}
	return true
}

// nameMap is a persistent map from folded names to values: an intMap from the hash of a name to all entries with this
// hash.
type nameMap[V any] struct{ m intMap[int64, []nameEntry[V]] }

type nameEntry[V any] struct {
	name string
	v    V
}

// hash is FNV-1a folded to 16 bits, so that a leaf of the map holds several of ten thousand names and few names share a
// hash.
func hash(s string) int64 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return int64(h>>16 ^ h&0xffff)
}

func (m nameMap[V]) get(name string) (v V, ok bool) {
	l, _ := m.m.get(hash(name))
	for _, e := range l {
		if e.name == name {
			return e.v, true
		}
	}
	return v, false
}

func (m nameMap[V]) with(name string, v V) nameMap[V] {
	m = m.without(name)
	l, _ := m.m.get(hash(name))
	return nameMap[V]{m.m.with(hash(name), append(l[:len(l):len(l)], nameEntry[V]{name, v}))}
}

// put is like with, but modifies the map in place. No other version of it may exist.
func (m *nameMap[V]) put(name string, v V) {
	key := hash(name)
	l, _ := m.m.get(key)
	for i := range l {
		if l[i].name == name {
			l[i].v = v
			return
		}
	}
	m.m.put(key, append(l, nameEntry[V]{name, v}))
}

func (m nameMap[V]) without(name string) nameMap[V] {
	l, _ := m.m.get(hash(name))
	for i, e := range l {
		if e.name == name {
			rest := append(append([]nameEntry[V]{}, l[:i]...), l[i+1:]...)
			return nameMap[V]{m.m.with(hash(name), rest)}
		}
	}
	return m
}

// Map is a persistent map from IDs to values, for the states of slots: With and Without return a new map that shares
// almost everything with the old one. The zero value is empty.
type Map[K ~int64, V any] struct{ of intMap[K, V] }

// Get returns the value of a key, and false if there is none.
func (m Map[K, V]) Get(k K) (V, bool) { return m.of.get(k) }

// With returns the map with another value of a key.
func (m Map[K, V]) With(k K, v V) Map[K, V] { return Map[K, V]{m.of.with(k, v)} }

// Without returns the map without a key.
func (m Map[K, V]) Without(k K) Map[K, V] { return Map[K, V]{m.of.without(k)} }

// All iterates over the entries in ascending order of keys.
func (m Map[K, V]) All() iter.Seq2[K, V] { return m.of.all() }
