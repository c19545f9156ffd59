package nodes

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	watchEvery = time.Second
	firstWatch = renewEvery + watchEvery // every living node has renewed its row by then
)

// Guard fails if nodes that know other migrations than this program use the database, and names them. A row may belong
// to a node that has died, so Guard may have to watch it for deadAfter. allowed repeats the check in the transaction in
// ctx, for nodes that have started since. It deletes the rows of the dead: one that was only paused must register
// again, which it cannot once the schema is newer than its program.
func (n *Node) Guard(ctx context.Context) (allowed func(ctx context.Context) error, err error) {
	first, err := n.others(ctx)
	if err != nil {
		return nil, err
	}
	now := first
	for waited := time.Duration(0); len(now) > 0; waited += watchEvery {
		if waited == 0 {
			n.Log.WarnContext(ctx, "waiting to see whether the other nodes in the database are alive", "nodes", len(now))
		}
		if living := changedSince(first, now); len(living) > 0 && waited >= firstWatch {
			return nil, errOthers(living)
		}
		if waited >= deadAfter {
			break
		}
		if err := n.wait(ctx, watchEvery); err != nil {
			return nil, err
		}
		if now, err = n.others(ctx); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) error {
		now, err := n.others(ctx)
		if err != nil {
			return err
		}
		if living := changedSince(first, now); len(living) > 0 {
			return errOthers(living)
		}
		for _, r := range now {
			if _, err := n.store.evict(ctx, r); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// others returns the rows of nodes that know other migrations, by ID.
func (n *Node) others(ctx context.Context) (map[string]row, error) {
	rows, err := n.store.all(ctx)
	own, out := schemaOf(n.Migrations()), map[string]row{}
	for _, r := range rows {
		if r.Schema != own {
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

func errOthers(living []row) error {
	texts := make([]string, len(living))
	for i, r := range living {
		texts[i] = fmt.Sprintf("%s on %s (pid %d, version %s, last seen %s)", r.Kind, r.Host, r.PID, r.Version,
			r.RenewedAt.UTC().Format(time.RFC3339))
	}
	return fmt.Errorf("this version must migrate the database, which processes of another version are using: %s; stop "+
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
