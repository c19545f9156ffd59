package pushrelay

import (
	"container/list"
	"sync"
)

// recent is an LRU cache of notifications that this node has delivered, so that a server can safely repeat a call. Some
// push services also replace the earlier notification by a repeat, but the device may already have displayed it.
type recent struct {
	mu   sync.Mutex
	most int
	at   map[string]*list.Element
	all  *list.List // most recently used first
}

func newRecent(most int) *recent {
	return &recent{most: most, at: map[string]*list.Element{}, all: list.New()}
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

// add adds a notification, and evicts the least recently used one if the cache is full.
func (r *recent) add(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at[id] != nil {
		return
	}
	r.at[id] = r.all.PushFront(id)
	if last := r.all.Back(); r.all.Len() > r.most {
		delete(r.at, r.all.Remove(last).(string))
	}
}
