package events

import (
	"context"
	"errors"
	"slices"
	"time"
)

// sweep sends due heartbeats, deletes idle queues, and catches up after lost announcements. One pass over this node's
// queues replaces a timer or goroutine per poll.
func (s *service) sweep(ctx context.Context) error {
	now := s.Clock.Now()
	var all []error
	for _, h := range s.allHubs() {
		look, idle := h.sweep(now)
		h.drain()
		for life, ids := range idle {
			s.m.expired.Add(len(ids))
			all = append(all, s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Idle(ctx, ids, now.Add(-life)) }))
		}
		if look {
			_, err := s.hub(ctx, h.realm)
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// lookEvery is how often a hub with held polls is compared with the view, in case that announcements were lost.
const lookEvery = 10 * time.Second

// sweep marks polls whose heartbeat is due and removes expired queues. It reports whether the hub must be compared with
// the view, and returns the IDs of the expired queues by idle time.
func (h *hub) sweep(now time.Time) (look bool, idle map[time.Duration][]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, ps := range h.held {
		for _, p := range ps {
			look = true
			if !now.Before(p.due) {
				p.heartbeatDue = true
				h.wake(p)
			}
		}
	}
	idle = map[time.Duration][]string{}
	for _, q := range h.queues {
		if q.expired(now) && len(idle[q.idle]) < batch {
			idle[q.idle] = append(idle[q.idle], q.id())
			h.forget(q)
		}
	}
	if since := now.Sub(h.looked); look && since >= 0 && since < lookEvery {
		look = false
	} else if look {
		h.looked = now
	}
	return look, idle
}

// drain wakes all polls that are still marked. Each woken poll wakes others when it responds, but its client may have
// disconnected.
func (h *hub) drain() {
	for h.wakeSome(batch) {
	}
}

// batch is the maximum number of queues, or users, per statement.
const batch = 500

// save stores the progress of all queues polled since the last call and removes queues whose rows have been deleted.
func (s *service) save(ctx context.Context) error {
	for _, h := range s.allHubs() {
		for part := range slices.Chunk(h.unsaved(s.Clock.Now()), batch) {
			var there []string
			err := s.Work.Do(ctx, func(ctx context.Context) (err error) {
				there, err = s.rows.Save(ctx, part)
				return err
			})
			if err != nil {
				h.markDirty(part)
				return err
			}
			h.keepOnly(part, there)
		}
	}
	return nil
}

// unsaved returns the progress of the queues polled since it was last called. A queue with a held poll counts as polled
// now.
func (h *hub) unsaved(now time.Time) []progress {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []progress
	for _, q := range h.queues {
		if q.held != nil {
			q.touch(now)
		}
		if q.dirty {
			q.dirty = false
			all = append(all, q.progress())
		}
	}
	return all
}

// markDirty marks queues that could not be saved, so that the next save retries them.
func (h *hub) markDirty(failed []progress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range failed {
		if q := h.queues[p.ID]; q != nil {
			q.dirty = true
		}
	}
}

func (h *hub) keepOnly(saved []progress, there []string) {
	exists := make(map[string]bool, len(there))
	for _, id := range there {
		exists[id] = true
	}
	h.mu.Lock()
	for _, p := range saved {
		if q := h.queues[p.ID]; q != nil && !exists[p.ID] {
			h.forget(q)
		}
	}
	h.mu.Unlock()
	h.wakeSome(fanOut)
}

// expire deletes the rows of queues that have expired on every node.
func (s *service) expire(ctx context.Context) error {
	now := s.Clock.Now()
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Expired(ctx, now) })
}
