package absence

import (
	"context"
	"embed"
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

//go:embed migrations
var migrations embed.FS

// Migrations returns the migrations of the package's table.
func Migrations() bunstore.Migrations { return bunstore.Migrations{Module: "absence", FS: migrations} }

// Keeper records absences and ends them.
type Keeper struct {
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Realms    ports.Realms
	Clock     ports.Clock
	Log       *slog.Logger
	Collected *kit.Collected

	backlog kit.Backlog
}

// New returns a keeper.
func New(k *Keeper) *Keeper {
	k.backlog = kit.Backlog{Earliest: "SELECT MIN(returned) FROM module_absences"}
	return k
}

// Start records which of the modules that the database knows are left out, and which have returned. others are names
// that the database knows for other reasons. Call it before the server changes anything.
func (k *Keeper) Start(ctx context.Context, others []string) error {
	known, err := k.DB.Applied(ctx)
	if err != nil {
		return err
	}
	running := k.Collected.Names()
	var missing []string
	for _, step := range known {
		if !slices.Contains(running, step.Module) && !slices.Contains(others, step.Module) {
			missing = append(missing, step.Module)
		}
	}
	missing = slices.Compact(missing)
	s, now := store{k.DB}, k.Clock.Now()
	err = k.Work.Do(ctx, func(ctx context.Context) error {
		return errors.Join(s.left(ctx, missing, now), s.back(ctx, running, now))
	})
	if err != nil {
		return fmt.Errorf("record which modules are left out: %w", err)
	}
	return nil
}

// Job returns the job that lets modules catch up.
func (k *Keeper) Job() kit.Job {
	return kit.Job{
		Name: "catch up", Backlog: &k.backlog, Every: time.Minute, Timeout: time.Hour, Run: k.run,
	}
}

func (k *Keeper) run(ctx context.Context) error {
	due, err := store{k.DB}.due(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, a := range due {
		if err := k.catchUp(ctx, a); err != nil {
			failed = append(failed, fmt.Errorf("module %s: %w", a.Module, err))
		}
	}
	return errors.Join(failed...)
}

// catchUp lets a module catch up in all realms, then ends its absence. It can be repeated.
func (k *Keeper) catchUp(ctx context.Context, a absence) error {
	i := slices.IndexFunc(k.Collected.Modules, func(c kit.Contribution) bool { return c.Module == a.Module })
	if i < 0 {
		return nil // another node runs it
	}
	parts := k.Collected.Modules[i].Parts
	realms, err := k.Realms.All(ctx)
	if err != nil {
		return err
	}
	for _, r := range realms {
		if err := k.repeat(ctx, r, a.Since, parts.Hooks); err != nil {
			return err
		}
		if err := k.follow(ctx, r, a.Since, parts.Hooks); err != nil {
			return err
		}
		if parts.CatchUp != nil {
			if err := parts.CatchUp(ctx, r, a.Since); err != nil {
				return err
			}
		}
	}
	if err := k.Work.Do(ctx, func(ctx context.Context) error { return store{k.DB}.end(ctx, a) }); err != nil {
		return err
	}
	k.Log.InfoContext(ctx, "a module that was left out has caught up", "name", a.Module, "since", a.Since)
	return nil
}

// Hold makes the jobs of modules that delete data wait until their module has caught up.
func (k *Keeper) Hold(all []kit.Contribution) {
	for i := range all {
		if all[i].Parts.CatchUp == nil && !slices.ContainsFunc(all[i].Parts.Hooks, kit.Hook.Follows) {
			continue
		}
		jobs := slices.Clone(all[i].Parts.Jobs)
		for n, j := range jobs {
			if j.Deletes {
				jobs[n].Run = k.held(all[i].Module, j.Run)
			}
		}
		all[i].Parts.Jobs = jobs
	}
}

func (k *Keeper) held(module string, run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if pending, err := (store{k.DB}).pending(ctx, module); err != nil || pending {
			return err
		}
		return run(ctx)
	}
}

// repeat runs the hooks that allow it, in their order, for all users of a realm to whom their events may apply.
func (k *Keeper) repeat(ctx context.Context, r realm.ID, since time.Time, hooks []kit.Hook) error {
	hooks = slices.DeleteFunc(slices.Clone(hooks), func(h kit.Hook) bool { return !h.Repeats })
	if len(hooks) == 0 {
		return nil
	}
	slices.SortStableFunc(hooks, func(a, b kit.Hook) int { return a.Rank - b.Rank })
	v, err := k.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	for u := range v.Users() {
		var missed []func(context.Context) error
		for _, h := range hooks {
			if event := eventFor(h.Event, r, u, since); event != nil {
				missed = append(missed, func(ctx context.Context) error { return h.Run(ctx, event) })
			}
		}
		if len(missed) == 0 {
			continue
		}
		if err := k.Work.Do(ctx, func(ctx context.Context) error {
			for _, run := range missed {
				if err := run(ctx); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return fmt.Errorf("user %d: %w", u.ID, err)
		}
	}
	return nil
}
