package pushrelay

import (
	"container/list"
	"sync"
)

// recent remembers recent deliveries of this node, so that a server can safely repeat a call. Push services replace the
// former notification too, but not all of them, and they may have shown it already.
type recent struct {
	mu   sync.Mutex
	most int
	at   map[string]*list.Element
	all  *list.List // most recently used first
}

func newRecent(most int) *recent {
	return &recent{most: most, at: map[string]*list.Element{}, all: list.New()}
}

// has reports whether a notification with this collapse ID was delivered.
func (r *recent) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.at[id]
	if e != nil {
		r.all.MoveToFront(e)
	}
	return e != nil
}

// add remembers a notification, evicting the least recently used one.
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
