package events

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Lifetimes of queues. The row of a queue that is not polled expires after the idle time plus slack, because the time
// of the last poll stored in the row may lag behind by that much.
const (
	mobileIdle = 12 * time.Hour
	maxIdle    = 7 * 24 * time.Hour
	saveEvery  = 30 * time.Second
	slack      = 2 * saveEvery
)

// spec holds the parameters of a registration. It is stored as JSON.
type spec struct{ event.Queue }

// queue is a client's position in the realm's log, cached on this node. It holds no events.
type queue struct {
	spec  spec
	types map[string]bool // nil: all
	realm realm.ID
	user  user.ID
	epoch int64 // of the log; positions of another epoch are meaningless
	start event.ID
	idle  time.Duration

	// The following fields are guarded by the hub's mutex.
	acked          event.ID // highest event acknowledged by the client
	lastEphemeral  event.ID // highest ephemeral event sent
	scanned        scan     // so that a client that polls again without a new event does not cause the same reads again
	sent           int      // bytes of the last response with events, until the client acknowledges all of them
	sentTo         event.ID // last event of that response
	seen           time.Time
	dirty          bool      // acked or seen is newer than in the row
	restartPending bool      // the client must be notified that the server has restarted since it last served the queue
	answered       time.Time // time of the last response with events from this node
	turn           int       // number of polls so far
	ended          bool
	held           *poll
}

// scan records that a queue receives no events after an event up to a log entry.
type scan struct {
	since event.ID
	clean event.Seq
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
	q.restartPending = !r.SeenAt.After(boot) && q.accepts("restart")
	return q, nil
}

// typeSet returns the types as a set, or nil if the queue receives all types. It drops muted_topics if the client also
// requests user_topic, which replaces it.
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

// wide reports whether the queue may receive events not addressed to its user. Callers must also check that the user is
// not a guest.
func (q *queue) wide() bool { return q.spec.AllPublic || len(q.spec.Narrow) > 0 }

// beyondAudience reports whether the queue may receive events of a type that are not addressed to its user. Callers
// must also check that the user is not a guest.
func (q *queue) beyondAudience(k *kit.AnyEvent) bool {
	return k.BeyondAudience && q.wide() || k.ForFollowers && q.spec.Client.NarrowedChanges && len(q.spec.Narrow) > 0
}

// expired reports whether the queue's idle time has passed without polls.
func (q *queue) expired(now time.Time) bool { return q.held == nil && now.Sub(q.seen) > q.idle }

func (q *queue) touch(now time.Time) { q.seen, q.dirty = now, true }

// ephemeral returns the next ID for an event that is not in the log, after all events up to seq and after since. It
// returns 0 if no ID is left.
func (q *queue) ephemeral(seq event.Seq, since event.ID) event.ID {
	id := max(event.NewID(seq, event.FirstEphemeral), q.lastEphemeral+1, since+1)
	if id.Seq() != seq {
		return 0
	}
	q.lastEphemeral = id
	return id
}

func (q *queue) progress() progress {
	return progress{ID: q.id(), AckedSeq: q.acked.Seq(), SeenAt: q.seen, ExpiresAt: q.seen.Add(q.idle + slack)}
}

// unknown returns the error for a queue that does not exist, belongs to another user, or cannot be continued.
func unknown(id string) error {
	return errs.New(errs.BadEventQueue, "Bad event queue ID: %s", id).With("queue_id", id)
}
