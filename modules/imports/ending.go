package imports

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/imports/internal/store"
	"github.com/stoachat/stoa/modules/kit"
)

// perExpiry is the maximum number of abandoned imports deleted at once.
const perExpiry = 20

type removeReq struct {
	ID     store.JobID `json:"import_id"`
	Cancel bool        `json:"cancel" default:"false"`
}

// cancel ends the dry run or the import that is being done, which the job notices at its next step. What was written
// stays locked. Errors: BadRequest.
func (s *service) cancel(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	states := []string{store.Checking, store.Running}
	return kit.None{}, s.change(ctx, a, in.ID, states, func(ctx context.Context, j *store.Job) error {
		now := s.Clock.Now()
		j.State, j.DueAt, j.ActiveAt = store.Ending, &now, &now
		s.Work.AfterCommit(ctx, s.backlog.Added)
		if _, err := s.rows.SaveJob(ctx, j, "state", "due_at", "active_at"); err != nil {
			return err
		}
		return s.record(ctx, audit.ImportCanceled, j)
	})
}

// settle ends the work on an import that was canceled. It does nothing if the import was deleted.
func (s *service) settle(ctx context.Context, of *store.Job) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		j, err := s.rows.Job(ctx, of.RealmID, of.ID)
		if err != nil || j == nil || j.State != store.Ending {
			return err
		}
		j.State, j.DueAt, j.Error, j.Step = store.Canceled, nil, "", ""
		if j.Report == "" { // there was only a dry run
			j.State = store.Uploaded
		}
		_, err = s.rows.SaveJobIn(ctx, j, store.Ending, "state", "due_at", "error", "step")
		return err
	})
}

// remove handles DELETE /imports/:import_id. Errors: BadRequest.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	if in.Cancel {
		return s.cancel(ctx, a, in)
	}
	states := append(store.Idle(), store.Complete, store.Deleting)
	var target domainrealm.ID
	err := s.change(ctx, a, in.ID, states, func(ctx context.Context, j *store.Job) error {
		return s.markDeleted(ctx, j, &target)
	})
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.drop(ctx, a.Realm, in.ID, target)
}

// markDeleted begins to delete an import, and returns the organization that is deleted with it.
func (s *service) markDeleted(ctx context.Context, j *store.Job, target *domainrealm.ID) error {
	if *target = j.TargetID; j.State == store.Complete {
		*target, j.TargetID = 0, 0 // people use it
	}
	j.State = store.Deleting
	if _, err := s.rows.SaveJob(ctx, j, "state", "target_id"); err != nil {
		return err
	}
	return s.record(ctx, audit.ImportDeleted, j)
}

// drop deletes what belongs to an import that is marked as deleted, and then the import.
func (s *service) drop(ctx context.Context, r domainrealm.ID, id store.JobID, target domainrealm.ID) error {
	if target != 0 {
		if err := s.deleteIncomplete(ctx, target); err != nil {
			return err
		}
	}
	if err := s.discard(ctx, r, id); err != nil {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.DropJob(ctx, id) })
}

// deleteIncomplete deletes an organization whose import is not complete, unless that has begun.
func (s *service) deleteIncomplete(ctx context.Context, target domainrealm.ID) error {
	all, err := s.Realms.All(ctx)
	if err != nil || !slices.Contains(all, target) {
		return err
	}
	v, err := s.Directory.View(ctx, target)
	if err != nil || v.Realm().Deleting {
		return err
	}
	return s.States.Delete(ctx, target)
}

// expire is the job that deletes imports that their owners have abandoned, as they could, and when links were sent.
func (s *service) expire(ctx context.Context) error {
	if err := s.expireLetters(ctx); err != nil {
		return err
	}
	since := s.Clock.Now().Add(-s.cfg.Keep)
	jobs, err := s.rows.Abandoned(ctx, since, perExpiry)
	if err != nil {
		return err
	}
	for i := range jobs {
		of := kit.Actor{Realm: jobs[i].RealmID}
		var target domainrealm.ID
		err := s.change(ctx, of, jobs[i].ID, append(store.Idle(), store.Deleting),
			func(ctx context.Context, j *store.Job) error {
				if j.ActiveAt != nil && !j.ActiveAt.Before(since) {
					return errs.Bad("The import is in use again")
				}
				return s.markDeleted(ctx, j, &target)
			})
		if errs.Is(err, errs.BadRequest) { // somebody continues or deletes it
			continue
		}
		if err == nil {
			err = s.drop(ctx, of.Realm, jobs[i].ID, target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
