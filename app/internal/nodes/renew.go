package nodes

import (
	"context"
	"time"
)

// repeat renews the node's row until ctx ends.
func (n *Node) repeat(ctx context.Context) {
	wait := time.NewTimer(renewEvery)
	defer wait.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		}
		next, err := n.renewWithin(ctx, holdFor)
		if ctx.Err() != nil {
			return
		}
		down := n.Observe != nil && n.Observe(err)
		if err != nil && !down && !failed {
			n.Log.Error("cannot renew this node's row", "error", err)
		}
		failed = err != nil
		wait.Reset(next)
	}
}

func (n *Node) renewWithin(ctx context.Context, limit time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return n.Renew(ctx)
}

// Renew renews the node's row, and removes the rows of dead nodes. If the leases were lost, the node continues with a
// new ID. It returns the time until the next renewal.
func (n *Node) Renew(ctx context.Context) (time.Duration, error) {
	n.renewing.Lock()
	defer n.renewing.Unlock()
	n.mu.Lock()
	t := n.term
	n.mu.Unlock()
	begin, alive := n.elapsed(), false
	if t.lost.Err() == nil {
		err := n.do(ctx, func(ctx context.Context) (err error) {
			alive, err = n.store.renew(ctx, t.id, n.Clock.Now())
			return err
		})
		if err != nil {
			return renewEvery, err
		}
	}
	if alive {
		n.extend(t, begin)
	} else {
		t.lose(ErrLost)
		err := n.register(ctx)
		n.mu.Lock()
		n.failure = err
		n.mu.Unlock()
		if err != nil {
			return renewEvery, err
		}
		n.Log.WarnContext(ctx, "this node could not renew its row in time; it has stopped its leased work and continues")
	}
	return n.observe(ctx)
}

// extend records a successful renewal.
func (n *Node) extend(t *term, begin time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	t.renewed = begin
	if t.timer != nil {
		t.timer.Reset(holdFor - (n.elapsed() - begin))
	}
}

// observe looks at the other nodes' rows and deletes those of dead nodes. It returns the time until the next look, at
// which another node may be dead.
func (n *Node) observe(ctx context.Context) (time.Duration, error) {
	rows, err := n.store.look(ctx)
	if err != nil {
		return renewEvery, err
	}
	if n.Maintained != nil && len(rows) > 0 {
		n.Maintained(rows[0].Maintenance)
	}
	now, next := n.elapsed(), renewEvery
	n.mu.Lock()
	own, seen := n.term.id, map[string]peer{}
	var dead []row
	for _, r := range rows {
		p, known := n.peers[r.ID]
		switch {
		case r.ID == own:
			continue
		case !known || p.beat != r.Beat:
			p = peer{r.Beat, now, known}
		case now-p.at >= deadAfter:
			dead = append(dead, r)
		}
		seen[r.ID] = p
		if left := deadAfter - (now - p.at); left > 0 {
			next = min(next, left)
		}
	}
	n.peers = seen
	n.mu.Unlock()
	n.compare(ctx, own, rows, seen)
	evicted := false
	for _, r := range dead {
		gone := false
		err := n.do(ctx, func(ctx context.Context) (err error) {
			if gone, err = n.store.evict(ctx, r); err == nil && gone {
				err = n.free(ctx)
			}
			return err
		})
		if err != nil {
			return renewEvery, err
		}
		if gone {
			evicted = true
			n.Log.WarnContext(ctx, "a node has died; its work continues elsewhere",
				"node", r.ID, "kind", r.Kind, "host", r.Host, "pid", r.PID, "version", r.Version, "last_seen", r.RenewedAt)
		}
	}
	if evicted && n.Evicted != nil {
		n.Evicted()
	}
	return next, nil
}
