package kernel

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// Lock implements ports.EventLog.
func (k *Kernel) Lock(ctx context.Context, r realm.ID) (event.Seq, error) {
	u := unitOf(ctx)
	if u == nil {
		return 0, errNotInTransaction
	}
	if err := u.lock(ctx, r); err != nil {
		return 0, err
	}
	return u.last(), nil
}

// last returns the position of the last entry in the log, including appended ones.
func (u *unit) last() event.Seq { return u.base + event.Seq(len(u.rows)) }

// Append implements ports.EventLog.
func (k *Kernel) Append(ctx context.Context, events ...event.Event) error {
	u := unitOf(ctx)
	if u == nil {
		return errNotInTransaction
	}
	return u.appendWithHooks(ctx, events)
}

// appendWithHooks appends events and runs the hooks with which modules append events that follow from changed shared
// facts. A writer's batches do not change facts that others depend on.
func (u *unit) appendWithHooks(ctx context.Context, events []event.Event) error {
	var changes []directory.Change
	for _, e := range events {
		changes = append(changes, e.Changes...)
	}
	if u.kind != change || len(changes) == 0 {
		return u.append(events)
	}
	r := events[0].Realm
	if u.views[r] == nil && !u.locked && !begins(changes) {
		return errNoView
	}
	before, err := u.view(ctx, r)
	if err != nil {
		return err
	}
	if err := u.append(events); err != nil {
		return err
	}
	return u.k.Run(ctx, &directory.Changed{Realm: r, Before: before, After: u.views[r], Changes: changes})
}

// begins reports whether the changes create the realm, which nobody else can see yet.
func begins(changes []directory.Change) bool {
	return changes[0].Realm != nil && changes[0].Realm.Old == nil
}

// errNoView is returned to a unit that has neither requested the view, which acquires the lane, nor locked the realm.
// It would hold row locks while it waits, and the units ahead of it might wait for those rows.
var errNoView = errors.New(
	"kernel: a unit of work that changes shared facts must first ask for the realm's view or lock the realm",
)

var errNotInTransaction = errors.New("kernel: the log can be written only inside Do or a writer's batch")

// submit writes an intent as part of an open unit of work.
func (u *unit) submit(ctx context.Context, r realm.ID, in *ports.Intent) error {
	v, err := u.view(ctx, r)
	if err != nil {
		return err
	}
	if err := u.lock(ctx, r); err != nil {
		return err
	}
	if u.views[r] != nil {
		v = u.views[r]
	}
	in.Err = nil
	events, err := in.Kind.Write(ctx, v, u.last(), []*ports.Intent{in})
	if err != nil {
		return err
	}
	if in.Err != nil {
		return in.Err
	}
	return u.append(events)
}
