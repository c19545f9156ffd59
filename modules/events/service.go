package events

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type service struct {
	needs
	cfg        Config
	rows       rows
	boot       time.Time
	insertKind *ports.IntentKind // inserts a queue
	after      func(time.Duration, func())
	m          measures

	mu   sync.Mutex
	hubs map[realm.ID]*hub
}

func newService(cfg Config, n needs, r rows) *service {
	s := &service{needs: n, cfg: cfg, rows: r, boot: n.Clock.Now(), hubs: map[realm.ID]*hub{},
		after: func(d time.Duration, f func()) { time.AfterFunc(d, f) }}
	s.m = s.measure()
	s.insertKind = &ports.IntentKind{Name: "event_queue", Order: 100, Write: s.insert}
	return s
}

// find returns the caller's queue. Errors: BadEventQueue, also if the queue belongs to another user.
func (s *service) find(ctx context.Context, h *hub, a kit.Actor, id string) (*queue, error) {
	now := s.Clock.Now()
	h.mu.Lock()
	q := h.queues[id]
	if q != nil && q.expired(now) {
		h.mu.Unlock()
		return nil, unknown(id)
	}
	h.mu.Unlock()
	if q == nil {
		if uuid.Validate(id) != nil { // not an ID issued by this server
			return nil, unknown(id)
		}
		r, err := s.rows.Find(ctx, a.Realm, id)
		if err != nil {
			return nil, err
		}
		if r == nil || r.UserID != a.User || now.After(r.ExpiresAt) {
			return nil, unknown(id)
		}
		if q, err = newQueue(r, s.boot); err != nil {
			return nil, err
		}
		q = h.adopt(q)
	}
	if q.user != a.User {
		return nil, unknown(id)
	}
	return q, nil
}

// adopt adds a queue to the hub and returns it. If the hub already has an instance of the queue, it returns that one
// instead.
func (h *hub) adopt(q *queue) *queue {
	h.mu.Lock()
	defer h.mu.Unlock()
	if had := h.queues[q.id()]; had != nil {
		return had
	}
	h.queues[q.id()] = q
	return q
}

// end removes queues whose rows have been deleted.
func (h *hub) end(ids []string) {
	if len(ids) == 0 {
		return
	}
	h.mu.Lock()
	for _, id := range ids {
		if q := h.queues[id]; q != nil {
			h.forget(q)
		}
	}
	h.mu.Unlock()
	h.wakeSome(fanOut)
}

// deleteQueue deletes a queue that cannot be continued and returns BadEventQueue. If the client ignores the error, its
// further polls are then cheap.
func (s *service) deleteQueue(ctx context.Context, h *hub, q *queue) error {
	err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Remove(ctx, q.realm, q.id()) })
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.forget(q)
	h.mu.Unlock()
	h.wakeSome(fanOut)
	return unknown(q.id())
}

type removeReq struct {
	QueueID string `json:"queue_id"`
}

// remove handles DELETE /events. Errors: BadEventQueue.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	h, err := s.hub(ctx, a.Realm)
	if err != nil {
		return kit.None{}, err
	}
	q, err := s.find(ctx, h, a, in.QueueID)
	if err != nil {
		return kit.None{}, err
	}
	if err := s.deleteQueue(ctx, h, q); !errs.Is(err, errs.BadEventQueue) {
		return kit.None{}, err
	}
	return kit.None{}, nil
}

// logAdvanced offers new entries to the held polls. It does no I/O: content is loaded when a poll responds.
func (s *service) logAdvanced(_ context.Context, m *event.LogAdvanced) error {
	h := s.existingHub(m.Realm)
	if h == nil {
		return nil
	}
	if len(m.Entries) == 0 { // the view was rebuilt
		h.skip(event.Seq(m.View.Seq()))
	}
	items := make([]*item, len(m.Entries))
	for i, e := range m.Entries {
		items[i] = s.item(e, m.Views[i])
		items[i].live = s.live(&items[i].entry)
	}
	s.advance(h, items)
	h.wakeSome(fanOut)
	return nil
}

// userDeactivated deletes a deactivated user's queues. The user's held polls end when the log entry arrives.
func (s *service) userDeactivated(ctx context.Context, m *user.Deactivated) error {
	return s.rows.RemoveOf(ctx, m.Realm, m.User)
}

// realmDeactivated deletes a deactivated realm's queues. Its held polls end when the log entry arrives.
func (s *service) realmDeactivated(ctx context.Context, m *realm.Deactivated) error {
	return s.rows.RemoveAll(ctx, m.Realm)
}
