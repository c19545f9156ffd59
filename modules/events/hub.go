package events

import (
	"context"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// hub holds a realm's queues on this node, and the newest entries of its log. Code that holds mu must not do I/O or
// call callbacks.
type hub struct {
	realm    realm.ID
	limit    int // maximum number of entries in recent
	holdBack time.Duration
	after    func(time.Duration, func()) // calls a function later, on another goroutine
	resume   sync.Mutex                  // serializes catchUp
	load     sync.Mutex                  // serializes share

	mu      sync.Mutex
	begun   bool
	pos     event.Seq // entries up to here have been offered to the held polls
	altered event.Seq // the last entry that may have made loaded content stale
	recent  []*item   // consecutive entries up to pos; never modified once appended
	queues  map[string]*queue
	held    map[user.ID][]*poll
	wide    map[*poll]struct{} // held polls of queues that also receive messages not addressed to their users
	offered []offering         // entries not yet offered to all receivers
	waking  []*poll            // marked polls, to be woken
	delayed []*poll            // polls of busy queues, to be marked when the timer fires
	armed   bool               // the timer is running
	looked  time.Time          // when the hub was last compared with the view
}

// hub returns the realm's hub and the newest view, after offering all of the view's entries to the held polls.
func (s *service) hub(ctx context.Context, r realm.ID) (*hub, error) {
	s.mu.Lock()
	h := s.hubs[r]
	if h == nil {
		h = &hub{
			realm:    r,
			limit:    s.cfg.RecentEntries,
			holdBack: s.cfg.HoldBack,
			after:    s.after,
			queues:   map[string]*queue{},
			held:     map[user.ID][]*poll{},
			wide:     map[*poll]struct{}{},
		}
		s.hubs[r] = h
	}
	s.mu.Unlock()
	// Load the view only after registering the hub: the view includes earlier entries, and later ones reach the hub.
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	return h, s.catchUp(ctx, h, v)
}

// existingHub returns the realm's hub, or nil if there is none.
func (s *service) existingHub(r realm.ID) *hub {
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

// catchUp offers entries that are included in the view but have not been announced to this node yet.
func (s *service) catchUp(ctx context.Context, h *hub, v *directory.View) error {
	if h.reached(event.Seq(v.Seq())) {
		return nil
	}
	h.resume.Lock()
	defer h.resume.Unlock()
	for !h.reached(event.Seq(v.Seq())) {
		pos := h.position()
		if event.Seq(v.Seq())-pos > event.Seq(h.limit) {
			h.skip(event.Seq(v.Seq()))
			break
		}
		items, err := s.read(ctx, h.realm, pos, event.Seq(v.Seq()))
		if err != nil && !errs.Is(err, errs.BadEventQueue) {
			return err
		}
		if len(items) == 0 { // trimmed
			h.skip(event.Seq(v.Seq()))
			break
		}
		s.advance(h, items)
	}
	h.wakeSome(fanOut)
	return nil
}

// reached reports whether the hub is at seq or later. It starts a new hub at seq.
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

// skip moves to seq without offering the entries in between, and wakes all held polls, which then read the log
// themselves.
func (h *hub) skip(seq event.Seq) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pos, h.altered, h.recent, h.offered = seq, seq, nil, nil
	h.wakeAll()
}

// advance appends the next entries and marks the held polls that may receive them. It ignores known entries. If entries
// are missing in between, it wakes all polls, which then catch up.
func (s *service) advance(h *hub, items []*item) {
	now := s.Clock.Now()
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
		h.offer(it, now)
	}
}

// remember appends an entry to h.recent. Callers may hold earlier values of h.recent, so remember copies the slice to
// trim it.
func (h *hub) remember(it *item) {
	if len(h.queues) == 0 {
		h.recent = nil
		return
	}
	if len(h.recent) >= 2*h.limit {
		h.recent = append(make([]*item, 0, 2*h.limit), h.recent[h.limit+1:]...)
	}
	h.recent = append(h.recent, it)
}

// keepsContent lists frequent event types that never make loaded content stale. After an entry of any other type,
// content is loaded again: a slow queue must not receive a message from memory that has been moved to a private
// channel.
var keepsContent = map[string]bool{
	message.EventNew: true, message.EventReaction: true, message.EventFlags: true, "subscription": true,
	"user_topic": true, "session": true,
}
