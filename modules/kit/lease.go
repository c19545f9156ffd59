package kit

import (
	"maps"
	"slices"
	"sync"
)

// Lease declares a column that names the node that works on a row (ports.Node), or is empty. A module declares each of
// its tables with such a column. When the node has died, the column is emptied.
type Lease struct {
	Table, Column string
	// Due is the column with the time before which nobody takes the row; "" if there is none. It is set to the present
	// when the node has died. A module may set it when it claims the row, to retry work that fails without a trace.
	Due string
}

// Working is the set of rows that this process works on, by ID. A lease that this node holds is free if the row is not
// in the set: the node failed to release it. The zero value is ready for use.
type Working[K comparable] struct {
	mu  sync.Mutex
	ids map[K]struct{}
}

// Begin adds a row before its lease is taken. It returns false if the set contains the row.
func (w *Working[K]) Begin(id K) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, busy := w.ids[id]; busy {
		return false
	}
	if w.ids == nil {
		w.ids = map[K]struct{}{}
	}
	w.ids[id] = struct{}{}
	return true
}

// End removes a row after its lease was released, or was to be.
func (w *Working[K]) End(id K) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ids, id)
}

// IDs returns the rows in the set.
func (w *Working[K]) IDs() []K {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.ids))
}
