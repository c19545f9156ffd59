package events

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about event queues.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("queue list", s.listQueues, "List the event queues of clients."),
		kit.Confirm(kit.NewCommand("queue drop", s.dropQueues,
			"Delete event queues, so that their clients load everything again."), s.wouldDrop),
	}
}

// maxListed is the maximum number of queues that a command lists.
const maxListed = 1000

// listedQueue is a queue in the output of queue list.
type listedQueue struct {
	ID      string    `json:"queue_id"`
	UserID  user.ID   `json:"user_id"`
	Email   string    `json:"email"`
	Client  string    `json:"client"`
	Pending int64     `json:"pending"` // entries of the log that the client has not acknowledged
	Seen    time.Time `json:"last_poll"`
	Expires time.Time `json:"expires"`
}

func (s *service) listQueues(ctx context.Context, a kit.Actor, in kit.Among) ([]listedQueue, error) {
	v, of, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return nil, err
	}
	rows, err := s.selected(ctx, a, of, "")
	if err != nil {
		return nil, err
	}
	out := make([]listedQueue, len(rows))
	for i, r := range rows {
		var q spec
		if err := json.Unmarshal([]byte(r.Spec), &q); err != nil {
			return nil, err
		}
		out[i] = listedQueue{
			ID: r.ID, UserID: r.UserID, Client: q.ClientName, Seen: r.SeenAt.UTC(), Expires: r.ExpiresAt.UTC(),
			Pending: max(0, int64(event.Seq(v.Seq())-max(r.StartSeq, r.AckedSeq))),
		}
		if u := v.User(r.UserID); u != nil {
			out[i].Email = u.DeliveryEmail
		}
	}
	return out, nil
}

// selected returns the stored queues of a realm, of one user unless of is nil, or with an ID. Errors: one with Gone if
// there is no such queue.
func (s *service) selected(ctx context.Context, a kit.Actor, of *user.User, id string) ([]row, error) {
	var u user.ID
	if of != nil {
		u = of.ID
	}
	rows, err := s.rows.All(ctx, a.Realm, u, id, maxListed)
	if err == nil && id != "" && len(rows) == 0 {
		err = errs.Absent("there is no event queue %q; see stoa queue list", id)
	}
	return rows, err
}

type dropped struct {
	ID    string `arg:"" optional:"" help:"ID of the queue: see stoa queue list."`
	Email string `placeholder:"ADDRESS" help:"Delete all queues of this user."`
	All   bool   `help:"Delete all queues of the organization."`
}

// Validate checks that the queues are selected in exactly one way.
func (d dropped) Validate() error {
	ways := 0
	for _, is := range []bool{d.ID != "", d.Email != "", d.All} {
		if is {
			ways++
		}
	}
	if ways != 1 {
		return errs.New(errs.Missing, "select queues by an ID, with --email or with --all")
	}
	return nil
}

func (s *service) toDrop(ctx context.Context, a kit.Actor, in dropped) ([]row, error) {
	_, of, err := kit.Among{Email: in.Email}.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return nil, err
	}
	return s.selected(ctx, a, of, in.ID)
}

func (s *service) wouldDrop(ctx context.Context, a kit.Actor, in dropped) (kit.Effect, error) {
	rows, err := s.toDrop(ctx, a, in)
	return kit.Effect{
		Text: fmt.Sprintf("delete %d event queues", len(rows)), Counts: map[string]int{"queues": len(rows)},
	}, err
}

// droppedQueues is the output of queue drop.
type droppedQueues struct {
	Queues int `json:"queues"`
}

func (d droppedQueues) String() string { return fmt.Sprintf("deleted %d event queues", d.Queues) }

// dropQueues deletes queues. This node ends their polls at once; other nodes when they next save their progress.
func (s *service) dropQueues(ctx context.Context, a kit.Actor, in dropped) (droppedQueues, error) {
	n := 0
	for {
		rows, err := s.toDrop(ctx, a, in)
		if err != nil && n == 0 {
			return droppedQueues{}, err
		}
		ids := make([]string, len(rows))
		for i, r := range rows {
			ids[i] = r.ID
		}
		err = s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.RemoveSome(ctx, a.Realm, ids) })
		if err != nil {
			return droppedQueues{}, err
		}
		if h := s.existingHub(a.Realm); h != nil {
			h.end(ids)
		}
		n += len(ids)
		if len(ids) < maxListed {
			return droppedQueues{n}, nil
		}
	}
}
