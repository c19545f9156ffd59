package erase

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Eraser deletes realms.
type Eraser struct {
	Store     *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Hooks     ports.Hooks
	States    ports.RealmStates
	Logs      Logs
	Log       *slog.Logger
	Collected *kit.Collected
}

// Logs deletes the logs of realms.
type Logs interface {
	// Shorten deletes old entries from a realm's log, but never the last one. It returns whether more may be left. Call it
	// inside Do.
	Shorten(ctx context.Context, r realm.ID) (bool, error)
	// Forget deletes the rest of a realm's log. Call it inside Do.
	Forget(ctx context.Context, r realm.ID) error
}

// Job returns the job that runs the eraser.
func (e *Eraser) Job() kit.Job {
	return kit.Job{Name: "erase", Deletes: true, Every: time.Hour, Timeout: 30 * time.Minute, Run: e.run}
}

func (e *Eraser) run(ctx context.Context) error {
	due, err := e.States.Due(ctx)
	for _, r := range due {
		if failed := e.deleteRealm(ctx, r); failed != nil {
			err = errors.Join(err, fmt.Errorf("realm %d: %w", r, failed))
		}
	}
	return err
}

// deleteRealm deletes one realm.
func (e *Eraser) deleteRealm(ctx context.Context, r realm.ID) error {
	if err := e.Hooks.Run(ctx, &realm.Erasing{Realm: r}); err != nil {
		return err
	}
	tables := e.Collected.Tables()
	if err := e.deleteUserRows(ctx, r, tables); err != nil {
		return err
	}
	for _, t := range tables {
		if t.Owner.Of == kit.OfRealm {
			if err := e.deleteRows(ctx, r, t, dependents(tables, t)); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
		}
	}
	if err := e.repeat(ctx, func(ctx context.Context) (bool, error) { return e.Logs.Shorten(ctx, r) }); err != nil {
		return err
	}
	err := e.Work.Do(ctx, func(ctx context.Context) error {
		if err := e.Logs.Forget(ctx, r); err != nil {
			return err
		}
		return e.States.Forget(ctx, r)
	})
	if err == nil {
		e.Log.Info("the data of a deactivated realm has been deleted", "realm", r)
	}
	return err
}

// deleteUserRows deletes the rows in tables that are keyed by user. It runs before the users' own rows are deleted.
func (e *Eraser) deleteUserRows(ctx context.Context, r realm.ID, tables []kit.Table) error {
	v, err := e.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	var all []int64
	for u := range v.Users() {
		all = append(all, int64(u.ID))
	}
	for deleteBlock := range slices.Chunk(all, perKey) {
		err := e.Work.Do(ctx, func(ctx context.Context) error {
			for _, t := range tables {
				if t.Owner.Of != kit.OfUser {
					continue
				}
				if err := e.Store.DeleteIn(ctx, t.Name, t.Owner.Column, deleteBlock); err != nil {
					return fmt.Errorf("%s: %w", t.Name, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dependents returns the tables whose rows are deleted with those of a table.
func dependents(tables []kit.Table, of kit.Table) []kit.Table {
	return slices.DeleteFunc(slices.Clone(tables), func(t kit.Table) bool { return t.Owner.Of != of.Name })
}

// deleteRows deletes a realm's rows in a table, and with them the rows of its dependents.
func (e *Eraser) deleteRows(ctx context.Context, r realm.ID, t kit.Table, dependents []kit.Table) error {
	s := store{e.Store}
	if !t.Large && len(dependents) == 0 {
		return e.repeat(ctx, func(ctx context.Context) (bool, error) { return s.deleteBlock(ctx, t.Name, r) })
	}
	last, err := s.last(ctx, t)
	for after := int64(0); err == nil && after < last; {
		var keys []int64
		if keys, after, err = s.next(ctx, t, r, after); err == nil && len(keys) > 0 {
			err = e.Work.Do(ctx, func(ctx context.Context) error { return s.deleteByKey(ctx, t, dependents, keys) })
		}
	}
	return err
}

// repeat calls block until it reports that nothing is left.
func (e *Eraser) repeat(ctx context.Context, block func(context.Context) (bool, error)) error {
	for {
		more, err := kit.Tx(ctx, e.Work, block)
		if err != nil || !more {
			return err
		}
	}
}
