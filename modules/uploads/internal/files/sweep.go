package files

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Hooks returns the handlers of hook events.
func (s *Service) Hooks() []kit.Hook {
	return []kit.Hook{
		kit.On(s.sent), kit.On(s.imported), kit.On(s.edited), kit.On(s.missed),
		kit.On(s.deleted).AgainAmong(s.Store.Referring),
		kit.On(s.profileDeleted).Again(), kit.On(s.erase),
		kit.On(s.erasing).Order(1), // after messages
		kit.On(s.scheduled), kit.On(s.rescheduled), kit.On(s.unscheduled),
	}
}

// Answers returns the answers to queries of other modules.
func (s *Service) Answers() []kit.Answer {
	return []kit.Answer{kit.Answers(s.usableFiles), kit.Answers(s.detached), kit.Answers(s.describeRealm)}
}

// Jobs returns the background jobs.
func (s *Service) Jobs() []kit.Job {
	return []kit.Job{
		{Name: "remove unused files", Deletes: true, Every: time.Hour, Timeout: 30 * time.Minute, Run: s.removeUnused},
		{Name: "remove blobs", Deletes: true, Every: 10 * time.Minute, Timeout: 30 * time.Minute, Run: s.removeBlobs},
	}
}

// describeRealm answers realm.Description with the maximum file size.
func (s *Service) describeRealm(_ context.Context, q realm.Description) (map[string]any, error) {
	const key = "max_file_upload_size_mib"
	if !q.Asks(key) {
		return nil, nil
	}
	return map[string]any{key: s.cfg.MaxFile >> 20}, nil
}

// removeUnused is the job that removes unreferenced files, and those that have been in the archive long enough.
func (s *Service) removeUnused(ctx context.Context) error {
	if err := s.removeDueFiles(ctx); err != nil {
		return err
	}
	return s.emptyArchive(ctx)
}

func (s *Service) removeDueFiles(ctx context.Context) error {
	for ctx.Err() == nil {
		now := s.Clock.Now()
		due, err := s.Store.DueFiles(ctx, now, removeBatch)
		if err != nil || len(due) == 0 {
			return err
		}
		for r, files := range byRealm(due) {
			ids := idsOf(files)
			err := s.Work.Do(ctx, func(ctx context.Context) error {
				if _, err := s.Log.Lock(ctx, r); err != nil {
					return err
				}
				if err := s.Store.KeepReferenced(ctx, ids); err != nil { // otherwise DueFiles would return referenced files forever
					return err
				}
				files, err := s.Store.StillDue(ctx, ids, now)
				if err != nil {
					return err
				}
				return s.discard(ctx, r, files)
			})
			if err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// erasing deletes the files of a user that no message refers to, and unfinished uploads, with their contents.
func (s *Service) erasing(ctx context.Context, m *user.Erasing) error {
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.profileDeleted(ctx, &user.ProfileDeleted{Realm: m.Realm, By: m.By, User: m.User}); err != nil {
			return err
		}
		keys, err := s.Store.DropResumablesOf(ctx, m.User.ID)
		if err != nil {
			return err
		}
		return s.Store.AddBlobs(ctx, m.Realm, s.Clock.Now(), keys...)
	})
	if err != nil {
		return err
	}
	if err := s.removeUnused(ctx); err != nil {
		return err
	}
	return s.removeBlobs(ctx)
}

// erase deletes the files and blobs of a realm that is being deleted.
func (s *Service) erase(ctx context.Context, m *realm.Erasing) error {
	for {
		if more, err := s.eraseSome(ctx, m.Realm); err != nil || !more {
			return err
		}
	}
}

// eraseSome deletes some files and blobs of a realm, and reports whether there were any.
func (s *Service) eraseSome(ctx context.Context, r realm.ID) (bool, error) {
	files, err := s.Store.OfRealm(ctx, r, removeBatch)
	if err != nil {
		return false, err
	}
	archived, err := s.Store.ArchivedOfRealm(ctx, r, removeBatch)
	if err != nil {
		return false, err
	}
	recorded, err := s.Store.KeysOf(ctx, r, removeBatch)
	if err != nil || len(files)+len(archived)+len(recorded) == 0 {
		return false, err
	}
	if err := s.Blobs.Delete(ctx, slices.Concat(recorded, keysOf(files), keysOf(archived))...); err != nil {
		return false, err
	}
	return true, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Store.Unarchive(ctx, r, archived); err != nil {
			return err
		}
		if err := s.Store.DeleteKeys(ctx, recorded); err != nil {
			return err
		}
		return s.Store.Delete(ctx, idsOf(files))
	})
}
