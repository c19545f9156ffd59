package store

import "sync"

// memory caches values that never change once they are committed. It is cleared when it is full.
type memory[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

const remembered = 50_000

func newMemory[K comparable, V any]() *memory[K, V] { return &memory[K, V]{m: map[K]V{}} }

func (m *memory[K, V]) get(k K) (V, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.m[k]
	return v, ok
}

func (m *memory[K, V]) put(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.m) >= remembered {
		clear(m.m)
	}
	m.m[k] = v
}
