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

// Logs are the realms' logs.
type Logs interface {
	// Shorten deletes old entries of a realm's log, all but the last at most, and tells whether there may be more. Inside
	// Do.
	Shorten(ctx context.Context, r realm.ID) (bool, error)
	// Forget deletes what is left of a realm's log. Inside Do.
	Forget(ctx context.Context, r realm.ID) error
}

// Job is what runs it.
func (e *Eraser) Job() kit.Job {
	return kit.Job{Name: "erase", Every: time.Hour, Timeout: 30 * time.Minute, Run: e.run}
}

func (e *Eraser) run(ctx context.Context) error {
	due, err := e.States.Due(ctx)
	for _, r := range due {
		if failed := e.realm(ctx, r); failed != nil {
			err = errors.Join(err, fmt.Errorf("realm %d: %w", r, failed))
		}
	}
	return err
}

// realm deletes one realm.
func (e *Eraser) realm(ctx context.Context, r realm.ID) error {
	for more := true; more; {
		m := &realm.Erasing{Realm: r}
		if err := e.Hooks.Run(ctx, m); err != nil {
			return err
		}
		more = m.More && ctx.Err() == nil
	}
	var tables []kit.Rows
	for _, c := range e.Collected.Modules {
		tables = append(tables, c.Parts.Rows...)
	}
	if err := e.people(ctx, r, tables); err != nil {
		return err
	}
	for _, t := range tables {
		if t.User == "" {
			if err := e.table(ctx, r, t); err != nil {
				return fmt.Errorf("%s: %w", t.Table, err)
			}
		}
	}
	if err := e.blocks(ctx, func(ctx context.Context) (bool, error) { return e.Logs.Shorten(ctx, r) }); err != nil {
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

// people deletes the rows that are a person's, while it is known who the people are: before those rows are deleted too.
func (e *Eraser) people(ctx context.Context, r realm.ID, tables []kit.Rows) error {
	v, err := e.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	var all []int64
	for u := range v.Users() {
		all = append(all, int64(u.ID))
	}
	for some := range slices.Chunk(all, perKey) {
		err := e.Work.Do(ctx, func(ctx context.Context) error {
			for _, t := range tables {
				if t.User == "" {
					continue
				}
				if err := (store{e.Store}).of(ctx, t, some); err != nil {
					return fmt.Errorf("%s: %w", t.Table, err)
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

// table deletes the rows of a table that have the realm.
func (e *Eraser) table(ctx context.Context, r realm.ID, t kit.Rows) error {
	s := store{e.Store}
	if t.Key == "" {
		return e.blocks(ctx, func(ctx context.Context) (bool, error) { return s.some(ctx, t.Table, r) })
	}
	last, err := s.last(ctx, t)
	for after := int64(0); err == nil && after < last; {
		var keys []int64
		if keys, after, err = s.next(ctx, t, r, after); err == nil && len(keys) > 0 {
			err = e.Work.Do(ctx, func(ctx context.Context) error { return s.keyed(ctx, t, keys) })
		}
	}
	return err
}

// blocks runs block until it says that there is no more.
func (e *Eraser) blocks(ctx context.Context, block func(context.Context) (bool, error)) error {
	for {
		more, err := kit.Tx(ctx, e.Work, block)
		if err != nil || !more {
			return err
		}
	}
}
