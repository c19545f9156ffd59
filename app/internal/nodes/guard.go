package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	watchEvery = time.Second
	firstWatch = renewEvery + watchEvery // every living node has renewed its row by then
)

// Guard fails if nodes that do not know the given migrations, which would break them, use the database, and names them.
// A row may belong to a node that has died, so Guard may have to watch it for deadAfter. allowed repeats the check in
// the transaction in ctx, for nodes that have started since. It deletes the rows of the dead: one that was only paused
// must register again, which it cannot once the schema is newer than its program.
func (n *Node) Guard(ctx context.Context, breaking []string) (allowed func(ctx context.Context) error, err error) {
	first, err := n.others(ctx, breaking)
	if err != nil {
		return nil, err
	}
	now := first
	for waited := time.Duration(0); len(now) > 0; waited += watchEvery {
		if waited == 0 {
			n.Log.WarnContext(ctx, "waiting to see whether the other nodes in the database are alive", "nodes", len(now))
		}
		if living := changedSince(first, now); len(living) > 0 && waited >= firstWatch {
			return nil, &LivingError{infos(living)}
		}
		if waited >= deadAfter {
			break
		}
		if err := n.wait(ctx, watchEvery); err != nil {
			return nil, err
		}
		if now, err = n.others(ctx, breaking); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) error {
		now, err := n.others(ctx, breaking)
		if err != nil {
			return err
		}
		if living := changedSince(first, now); len(living) > 0 {
			return &LivingError{infos(living)}
		}
		for _, r := range now {
			if _, err := n.store.evict(ctx, r); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// others returns the rows of nodes that lack one of the given migrations, by ID.
func (n *Node) others(ctx context.Context, breaking []string) (map[string]row, error) {
	rows, err := n.store.all(ctx)
	out := map[string]row{}
	for _, r := range rows {
		if slices.ContainsFunc(breaking, func(step string) bool { return !r.knows(step) }) {
			out[r.ID] = r
		}
	}
	return out, err
}

// changedSince returns the rows that are new or were renewed.
func changedSince(first, now map[string]row) []row {
	var out []row
	for id, r := range now {
		if f, known := first[id]; !known || f.Beat != r.Beat {
			out = append(out, r)
		}
	}
	return out
}

// LivingError reports nodes that a migration would break.
type LivingError struct{ Nodes []Info }

func (e *LivingError) Error() string {
	texts := make([]string, len(e.Nodes))
	for i, n := range e.Nodes {
		texts[i] = fmt.Sprintf("%s on %s (pid %d, version %s, last seen %s)", n.Kind, n.Host, n.PID, n.Version,
			n.Seen.Format(time.RFC3339))
	}
	return fmt.Sprintf("the migration would break processes of another version that are using the database: %s; stop "+
		"them first, or migrate with --force, after which they may fail", strings.Join(texts, ", "))
}

func (n *Node) wait(ctx context.Context, d time.Duration) error {
	if n.Wait != nil {
		return n.Wait(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
