package kernel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

const (
	noticeSpacing   = 5 * time.Millisecond // between two notices of a node; commits in between share the second one
	realmsPerNotice = 150                  // well below PostgreSQL's limit of 8000 bytes
	noticeTimeout   = time.Second          // of the last notice, when the node stops
	firstListenWait = 250 * time.Millisecond
	maxListenWait   = 5 * time.Second
	poolerWait      = time.Minute // until notifications are tried again if the database does not deliver them
)

// notices are how nodes learn of each other's commits without polling. After a commit, a node sends the number of the
// realm's newest entry; others then read the log up to its head. A notice is only a reason to look: it contains no
// content, may be forged or lost, and nothing is believed that the log does not confirm. The poll finds what notices
// have missed.
type notices struct {
	k         *Kernel
	listening atomic.Bool
	listened  chan struct{} // receives when listening has begun or ended
	committed *seqs         // by this node; to be sent
	heard     *seqs         // from other nodes; to be read
}

func newNotices(k *Kernel) *notices {
	return &notices{k: k, listened: make(chan struct{}, 1), committed: newSeqs(), heard: newSeqs()}
}

// seqs collects the highest position of each realm until they are taken.
type seqs struct {
	mu      sync.Mutex
	byRealm map[realm.ID]event.Seq
	waiting chan struct{} // receives when there is something to take
}

func newSeqs() *seqs {
	return &seqs{byRealm: map[realm.ID]event.Seq{}, waiting: make(chan struct{}, 1)}
}

func (s *seqs) add(r realm.ID, seq event.Seq) {
	s.mu.Lock()
	s.byRealm[r] = max(s.byRealm[r], seq)
	s.mu.Unlock()
	signal(s.waiting)
}

func (s *seqs) take() map[realm.ID]event.Seq {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.byRealm
	s.byRealm = map[realm.ID]event.Seq{}
	return taken
}

// signal sends to a channel with a buffer of one, unless it is full.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// tell notifies the other nodes that a log has reached seq.
func (n *notices) tell(r realm.ID, seq event.Seq) {
	if n.k.bus != nil {
		n.committed.add(r, seq)
	}
}

// send sends notices until the kernel stops.
func (n *notices) send() {
	for {
		select {
		case <-n.committed.waiting:
			n.sendAll(n.k.ctx)
		case <-n.k.ctx.Done():
			ctx, cancel := context.WithTimeout(context.Background(), noticeTimeout)
			defer cancel()
			n.sendAll(ctx)
			return
		}
		select {
		case <-time.After(noticeSpacing):
		case <-n.k.ctx.Done():
		}
	}
}

func (n *notices) sendAll(ctx context.Context) {
	all := n.committed.take()
	for some := range slices.Chunk(slices.Sorted(maps.Keys(all)), realmsPerNotice) {
		var text strings.Builder
		for _, r := range some {
			fmt.Fprintf(&text, "%d:%d ", r, all[r])
		}
		if err := n.k.bus.Tell(ctx, text.String()); err != nil { // the other nodes poll
			n.k.log.Debug("cannot notify the other nodes", "error", err)
			return
		}
	}
}

// listen receives notices until the kernel stops, reconnecting when the connection is lost.
func (n *notices) listen() {
	failed, wait := false, firstListenWait
	for n.k.ctx.Err() == nil {
		err := n.k.bus.Listen(n.k.ctx, func() {
			if failed {
				n.k.log.Info("the notifications of other nodes arrive again")
			}
			failed, wait = false, firstListenWait
			n.set(true)
		}, n.receive)
		n.set(false)
		if n.k.ctx.Err() != nil {
			return
		}
		if errors.Is(err, bunstore.ErrNotDelivered) {
			wait = poolerWait
		}
		if !failed && !n.k.Down() {
			n.k.log.Warn("cannot receive notifications of other nodes; polling more often instead",
				"cause", bunstore.Cause(err))
			failed = true
		}
		if !pause(n.k.ctx, wait) {
			return
		}
		wait = min(2*wait, maxListenWait)
	}
}

func (n *notices) set(listening bool) {
	if n.listening.Swap(listening) != listening {
		signal(n.listened)
	}
}

// receive handles a notice, which anyone who may use the bus may have sent.
func (n *notices) receive(text string) {
	if n.k.hinted(text) {
		return
	}
	for _, f := range strings.Fields(text) {
		var r realm.ID
		var seq event.Seq
		if _, err := fmt.Sscanf(f, "%d:%d", &r, &seq); err != nil {
			return
		}
		if m := n.k.builtModel(r); m != nil && m.seq() < seq {
			n.heard.add(r, seq)
		}
	}
}
