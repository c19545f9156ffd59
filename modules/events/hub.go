package events

import (
	"context"
	"sync"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// hub is what this node knows of one realm's queues, and the newest entries of its log. Whoever holds mu does no I/O
// and calls nobody.
type hub struct {
	realm  realm.ID
	keep   int        // entries in recent
	resume sync.Mutex // one at a time reads the log to catch up
	load   sync.Mutex // one at a time reads content, for all who wait for it

	mu      sync.Mutex
	begun   bool
	pos     event.Seq // entries up to here have been offered to the held polls
	altered event.Seq // the last entry after which content read before may be out of date
	recent  []*item   // consecutive entries, the last one at pos; never written to once appended
	queues  map[string]*queue
	held    map[user.ID][]*poll
	wide    map[*poll]struct{} // held polls of queues that look beyond their user
	offered []offering         // entries for which not everybody has been looked at
	waking  []*poll            // to be told that there is something
}

// hub gives the realm's hub and the newest view, with everything in the view offered to the held polls.
func (s *service) hub(ctx context.Context, r realm.ID) (*hub, error) {
	s.mu.Lock()
	h := s.hubs[r]
	if h == nil {
		h = &hub{
			realm:  r,
			keep:   s.cfg.RecentEntries,
			queues: map[string]*queue{},
			held:   map[user.ID][]*poll{},
			wide:   map[*poll]struct{}{},
		}
		s.hubs[r] = h
	}
	s.mu.Unlock()
	// Only now the view: what moved before the hub was there is in it, what moves later reaches the hub.
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	return h, s.catchUp(ctx, h, v)
}

// known gives the realm's hub if it has one.
func (s *service) known(r realm.ID) *hub {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hubs[r]
}

func (s *service) allHubs() []*hub {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*hub, 0, len(s.hubs))
	for _, h := range s.hubs {
		all = append(all, h)
	}
	return all
}

// catchUp offers what is in the view but has not been announced here (yet).
func (s *service) catchUp(ctx context.Context, h *hub, v *directory.View) error {
	if h.reached(event.Seq(v.Seq())) {
		return nil
	}
	h.resume.Lock()
	defer h.resume.Unlock()
	for !h.reached(event.Seq(v.Seq())) {
		pos := h.position()
		if event.Seq(v.Seq())-pos > event.Seq(h.keep) {
			h.skip(event.Seq(v.Seq()))
			break
		}
		items, err := s.read(ctx, h.realm, pos, event.Seq(v.Seq()))
		if err != nil && !errs.Is(err, errs.BadEventQueue) {
			return err
		}
		if len(items) == 0 { // trimmed away
			h.skip(event.Seq(v.Seq()))
			break
		}
		s.advance(h, items)
	}
	h.spread(fanOut)
	return nil
}

// reached tells whether the hub stands at seq or later; a hub that has not begun begins there.
func (h *hub) reached(seq event.Seq) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.begun {
		h.begun, h.pos, h.altered = true, seq, seq
	}
	return h.pos >= seq
}

func (h *hub) position() event.Seq {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pos
}

// skip goes to seq without having seen the entries before. Held polls look for themselves.
func (h *hub) skip(seq event.Seq) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pos, h.altered, h.recent, h.offered = seq, seq, nil, nil
	h.wakeAll()
}

// advance takes the next entries and marks the held polls that may have something of them. What it has already is left
// out. An entry that is not the next one wakes everybody: they will catch up.
func (s *service) advance(h *hub, items []*item) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, it := range items {
		seq := it.entry.Seq
		switch {
		case !h.begun:
			h.begun, h.altered = true, seq
		case seq <= h.pos:
			continue
		case seq != h.pos+1:
			h.wakeAll()
			return
		}
		h.pos = seq
		if !keepsContent[it.entry.Type] {
			h.altered = seq
		}
		h.remember(it)
		h.revoke(it)
		h.offer(it)
	}
}

// remember keeps the entry. A slice that was handed out is never written to: growing appends, trimming copies.
func (h *hub) remember(it *item) {
	if len(h.queues) == 0 {
		h.recent = nil
		return
	}
	if len(h.recent) >= 2*h.keep {
		h.recent = append(make([]*item, 0, 2*h.keep), h.recent[h.keep+1:]...)
	}
	h.recent = append(h.recent, it)
}

// keepsContent are the frequent types after which no content that was read before can be out of date. After any other
// it is read again: a message that moved to a private channel must not reach a slow queue from memory.
var keepsContent = map[string]bool{
	"message": true, "reaction": true, "update_message_flags": true, "subscription": true, "user_topic": true, "session": true,
}
