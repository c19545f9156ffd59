package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/imports/internal/archive"
	"github.com/stoachat/stoa/modules/imports/internal/engine"
	"github.com/stoachat/stoa/modules/imports/internal/store"
)

const (
	maxTries   = 6
	firstPause = 10 * time.Second // between the first two attempts; it doubles each time
)

// errEnded ends the work on an import that was canceled or deleted.
var errEnded = errors.New("the import was canceled or deleted")

// work is the job that checks and imports uploaded archives, one at a time. After a restart, the import continues.
func (s *service) work(ctx context.Context) error {
	for ctx.Err() == nil {
		j, err := s.rows.DueJob(ctx, s.Clock.Now())
		if err != nil || j == nil {
			return err
		}
		if err := s.attempt(ctx, j); err != nil {
			return fmt.Errorf("import %d: %w", j.ID, err)
		}
	}
	return ctx.Err()
}

// attempt works on an import. If it fails for a reason that may pass, it is repeated later, up to maxTries times.
func (s *service) attempt(ctx context.Context, j *store.Job) error {
	if j.State == store.Ending {
		return s.settle(ctx, j)
	}
	began := j.State
	done, err := s.perform(ctx, j)
	if ctx.Err() != nil {
		return ctx.Err() // a later run continues
	}
	if errors.Is(err, errEnded) {
		return s.settle(ctx, j)
	}
	now := s.Clock.Now()
	j.DueAt, j.ActiveAt, j.Error = nil, &now, ""
	var refused *errs.Error
	switch {
	case err == nil && j.State == store.Checking:
		j.State = store.Checked
	case err == nil:
		j.State, j.TargetID, j.EndedAt = store.Complete, done.Realm, &now
	case errors.As(refusal(err), &refused) && refused.Code != errs.Unavailable:
		j.State, j.Error = store.Failed, refused.Msg
	case j.Tries+1 >= maxTries:
		j.State, j.Error = store.Failed, "The server has failed to import the archive; its log says why."
	default:
		again := now.Add(firstPause << j.Tries)
		j.Tries, j.DueAt = j.Tries+1, &again
	}
	if err == nil {
		text, failed := json.Marshal(reportOf(done.Report))
		if failed != nil {
			return failed
		}
		j.Report = string(text)
	}
	saved := s.save(ctx, j, began)
	if j.Error != "" && refused != nil {
		err = nil // the owner reads it
	}
	return errors.Join(err, saved)
}

// save stores the result of an attempt that began in a state. A complete import stays complete if it was canceled too
// late.
func (s *service) save(ctx context.Context, j *store.Job, began string) error {
	columns := []string{"state", "report", "error", "tries", "due_at", "ended_at", "active_at"}
	if j.State == store.Complete {
		columns = append(columns, "target_id")
	}
	ended := false
	err := s.Work.Do(ctx, func(ctx context.Context) (err error) {
		if j.State == store.Complete {
			_, err = s.rows.SaveJob(ctx, j, columns...)
			return err
		}
		saved, err := s.rows.SaveJobIn(ctx, j, began, columns...)
		ended = !saved
		return err
	})
	switch {
	case err != nil:
		return err
	case ended:
		return s.settle(ctx, j)
	case j.State == store.Complete:
		return s.discard(ctx, j.RealmID, j.ID)
	}
	return nil
}

// perform runs the dry run or the import.
func (s *service) perform(ctx context.Context, j *store.Job) (_ *engine.Result, err error) {
	var c choices
	if err := json.Unmarshal([]byte(j.Options), &c); err != nil {
		return nil, err
	}
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(formats(), func(f importing.Format) bool { return f.Name == j.Program })
	if at < 0 {
		return nil, errs.Bad("This server no longer imports archives of %s", j.Program)
	}
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	name, err := s.assemble(ctx, j)
	if err != nil {
		return nil, err
	}
	scratch := filepath.Join(s.scratch(j.ID), "work")
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	a, err := archive.Open(name, scratch, archive.Defaults())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return s.engine.Run(ctx, engine.Job{
		Format: formats()[at], Archive: a, Scratch: scratch, StringID: c.Subdomain, Name: c.Name, OwnerEmail: c.OwnerEmail,
		Options: o, Names: names, DryRun: j.State == store.Checking,
		Claim: func(ctx context.Context, r domainrealm.ID, created bool) error {
			return s.claim(ctx, j, r, created)
		},
		Progress: func(ctx context.Context, step string, messages int64) error {
			j.Step, j.Messages = step, messages
			return s.saved(ctx, j, "step", "messages")
		},
	})
}

func errSubdomainInUse() error {
	return errs.Bad("Subdomain already in use. Please choose a different one.")
}

// claim records the organization that an import has created. One of others is refused.
func (s *service) claim(ctx context.Context, j *store.Job, r domainrealm.ID, created bool) error {
	if !created && j.TargetID != r {
		return errSubdomainInUse()
	}
	j.TargetID = r
	return s.saved(ctx, j, "target_id")
}

// saved stores columns of an import, unless it was canceled or deleted.
func (s *service) saved(ctx context.Context, j *store.Job, columns ...string) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		ok, err := s.rows.SaveJobIn(ctx, j, j.State, columns...)
		if err == nil && !ok {
			err = errEnded
		}
		return err
	})
}
