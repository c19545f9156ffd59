package pushrelay

import (
	"container/list"
	"sync"
)

// recent is an LRU cache of notifications that this node has delivered, so that a server can safely retry a call. Some
// push services also replace the earlier notification with the duplicate, but the device may already have displayed it.
type recent struct {
	mu       sync.Mutex
	capacity int
	at       map[string]*list.Element
	all      *list.List // most recently used first
}

func newRecent(capacity int) *recent {
	return &recent{capacity: capacity, at: map[string]*list.Element{}, all: list.New()}
}

// has reports whether a notification with the collapse ID was delivered recently.
func (r *recent) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.at[id]
	if e != nil {
		r.all.MoveToFront(e)
	}
	return e != nil
}

// add adds a notification. If the cache is full, it evicts the least recently used one.
func (r *recent) add(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at[id] != nil {
		return
	}
	r.at[id] = r.all.PushFront(id)
	if last := r.all.Back(); r.all.Len() > r.capacity {
		delete(r.at, r.all.Remove(last).(string))
	}
}
