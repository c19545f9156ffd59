package store

import "sync"

// immutableCache caches values that never change once they are committed. It is cleared when it is full.
type immutableCache[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

const maxCached = 50_000

func newImmutableCache[K comparable, V any]() *immutableCache[K, V] {
	return &immutableCache[K, V]{m: map[K]V{}}
}

func (m *immutableCache[K, V]) get(k K) (V, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.m[k]
	return v, ok
}

func (m *immutableCache[K, V]) put(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.m) >= maxCached {
		clear(m.m)
	}
	m.m[k] = v
}
