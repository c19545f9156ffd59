package events

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// The lives of queues. A queue that is not polled lives for its idle time and up to the slack: what its row knows of
// its last poll is that much older than the truth.
const (
	mobileIdle = 12 * time.Hour
	maxIdle    = 7 * 24 * time.Hour
	saveEvery  = 30 * time.Second
	slack      = 2 * saveEvery
)

// spec is what a client asked for when it registered; it is stored as JSON.
type spec struct{ event.Queue }

// queue is one client's place in the realm's log, as this node knows it. It holds no events.
type queue struct {
	spec  spec
	types map[string]bool // nil: all
	realm realm.ID
	user  user.ID
	epoch int64 // of the log; positions of another mean nothing
	start event.ID
	idle  time.Duration

	// What follows is guarded by the hub's mutex.
	acked   event.ID // highest that the client has confirmed
	given   event.ID // highest ephemeral event given
	seen    time.Time
	dirty   bool // acked or seen is newer than in the row
	restart bool // the server has started since the queue was served; its client is to be told
	turn    int  // counts its polls
	gone    bool
	held    *poll
}

func (q *queue) id() string { return q.spec.ID }

func newQueue(r *row, boot time.Time) (*queue, error) {
	q := &queue{
		realm: r.RealmID,
		epoch: r.Epoch,
		user:  r.UserID,
		idle:  time.Duration(r.IdleS) * time.Second,
		seen:  r.SeenAt,
	}
	if err := json.Unmarshal([]byte(r.Spec), &q.spec); err != nil {
		return nil, err
	}
	q.spec.ID = r.ID
	q.start = event.NewID(r.StartSeq, event.StartOfQueueSub)
	q.acked = max(q.start, event.NewID(r.AckedSeq, 0))
	q.types = typeSet(q.spec.Types)
	q.restart = !r.SeenAt.After(boot) && q.accepts("restart")
	return q, nil
}

// typeSet makes a filter of types; nil accepts all. Whoever names user_topic understands it and needs no muted_topics.
func typeSet(types []string) map[string]bool {
	if types == nil {
		return nil
	}
	set := make(map[string]bool, len(types))
	for _, t := range types {
		set[t] = true
	}
	if slices.Contains(types, "user_topic") {
		delete(set, "muted_topics")
	}
	return set
}

func (q *queue) accepts(typ string) bool { return q.types == nil || q.types[typ] }

// beyond tells whether the queue is offered messages that its user is not addressed by. Never so for guests.
func (q *queue) beyond() bool { return q.spec.AllPublic || len(q.spec.Narrow) > 0 }

// expired tells whether nobody has polled for the queue's life.
func (q *queue) expired(now time.Time) bool { return q.held == nil && now.Sub(q.seen) > q.idle }

func (q *queue) touch(now time.Time) { q.seen, q.dirty = now, true }

// ephemeral gives the id of an event that is in no log, after everything up to seq and after what the client has
// already; 0 when there is no number left.
func (q *queue) ephemeral(seq event.Seq, since event.ID) event.ID {
	id := max(event.NewID(seq, event.FirstEphemeral), q.given+1, since+1)
	if id.Seq() != seq {
		return 0
	}
	q.given = id
	return id
}

func (q *queue) progress() progress {
	return progress{ID: q.id(), AckedSeq: q.acked.Seq(), SeenAt: q.seen, ExpiresAt: q.seen.Add(q.idle + slack)}
}

// unknown is the answer for a queue that is not there, is another's, or can't go on.
func unknown(id string) error {
	return errs.New(errs.BadEventQueue, "Bad event queue ID: %s", id).With("queue_id", id)
}
