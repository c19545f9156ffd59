package exports

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	keyPrefix = "exports/" // prefix of blob keys

	maxTries   = 8                // maximum number of attempts per part
	firstPause = 10 * time.Second // interval between the first two attempts; it doubles each time
	maxPart    = 1 << 50          // size limit of a part in bytes, never reached in practice
	perClean   = 200              // maximum number of blobs removed at once
)

// errStale is returned when an export has been changed by another node or request.
var errStale = errors.New("the export is being written by another node, or was deleted")

// write is the job that writes pending exports part by part, longest due first.
func (s *service) write(ctx context.Context) error {
	ctx, holder, done := s.Node.Hold(ctx)
	defer done()
	for ctx.Err() == nil {
		r, err := s.rows.Due(ctx, s.Clock.Now())
		if err != nil || r == nil {
			return err
		}
		if err := s.advance(ctx, r, holder); err != nil && !errors.Is(err, errStale) {
			if ctx.Err() == nil { // otherwise the export is due when the node has stopped
				err = errors.Join(err, s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Release(ctx, r, holder) }))
			}
			return fmt.Errorf("export %d: %w", r.ID, err) // the next run continues with other exports
		}
	}
	return ctx.Err()
}

// advance writes the next part of an export. If that fails, it is retried later, up to maxTries times.
func (s *service) advance(ctx context.Context, r *row, holder string) error {
	if r.Tries >= maxTries {
		return s.fail(ctx, r)
	}
	p := part{Key: keyPrefix + strconv.FormatInt(int64(r.RealmID), 10) + "/" + strings.ToLower(rand.Text())}
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		ours, err := s.rows.BeginAttempt(ctx, r, holder, s.Clock.Now().Add(firstPause<<r.Tries))
		if err != nil || !ours {
			return orStale(err)
		}
		if err := s.rows.ScheduleRemoval(ctx, r.ID, r.Parts); err != nil { // remove parts of earlier attempts
			return err
		}
		return s.rows.AddPart(ctx, r, p.Key)
	})
	if err != nil {
		return err
	}
	a, err := s.archive(ctx, r)
	if err != nil {
		return err
	}
	info, err := s.Blobs.Put(ctx, p.Key, a, maxPart)
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	p.Size = info.Size
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, r.RealmID); err != nil {
			return err
		}
		ours, err := s.rows.Advance(ctx, r, p, a, s.Clock.Now())
		if err != nil || !ours {
			return orStale(err)
		}
		if !a.complete {
			return nil
		}
		return s.Log.Append(ctx, changed.To(r.RealmID, event.Admins(), listChanged{}))
	})
	if errors.Is(err, errStale) {
		return errors.Join(err, s.Blobs.Delete(ctx, p.Key))
	}
	if err == nil {
		s.Logger.Info("wrote a part of an export",
			"export", r.ID, "part", r.Parts, "bytes", p.Size, "complete", a.complete)
	}
	return err
}

func orStale(err error) error {
	if err == nil {
		return errStale
	}
	return err
}

// fail marks an export as failed. The errors of its attempts have been logged.
func (s *service) fail(ctx context.Context, r *row) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, r.RealmID); err != nil {
			return err
		}
		ours, err := s.rows.Fail(ctx, r, s.Clock.Now())
		if err != nil || !ours {
			return orStale(err)
		}
		return s.Log.Append(ctx, changed.To(r.RealmID, event.Admins(), listChanged{}))
	})
}

// clean is the job that deletes expired archives, and the blobs of deleted and failed archives.
func (s *service) clean(ctx context.Context) error {
	for more := s.cfg.Keep > 0; more; {
		old, err := s.rows.Expired(ctx, s.Clock.Now().Add(-s.cfg.Keep), perClean)
		if err != nil {
			return err
		}
		for i := range old {
			if err := s.expire(ctx, &old[i]); err != nil {
				return err
			}
		}
		more = len(old) == perClean
	}
	return s.removeParts(ctx)
}

// removeParts removes the parts of deleted archives.
func (s *service) removeParts(ctx context.Context) error {
	for ctx.Err() == nil {
		keys, err := s.rows.ScheduledForRemoval(ctx, perClean)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := s.forget(ctx, keys); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// expire deletes an archive unless it has been deleted in the meantime.
func (s *service) expire(ctx context.Context, e *export.Export) error {
	return s.withExport(ctx, e, func(ctx context.Context, now *export.Export) error {
		if now.State != export.Complete {
			return nil
		}
		return s.discard(ctx, now)
	})
}

// erasePerson deletes all archives of the organization, also those that are being written, since they contain the
// person whose data is erased.
func (s *service) erasePerson(ctx context.Context, m *user.Erasing) error {
	all, err := s.rows.Of(ctx, m.Realm)
	if err != nil {
		return err
	}
	for i := range all {
		err := s.withExport(ctx, &all[i], func(ctx context.Context, now *export.Export) error {
			if now.State != export.Complete && now.State != export.Pending {
				return nil
			}
			if err := s.record(ctx, audit.ExportDeleted, now); err != nil {
				return err
			}
			return s.discard(ctx, now)
		})
		if err != nil {
			return err
		}
	}
	return s.removeParts(ctx)
}

// withExport calls fn in a unit of work with the current state of an export, unless it no longer exists.
func (s *service) withExport(
	ctx context.Context, e *export.Export, fn func(context.Context, *export.Export) error,
) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, e.Realm); err != nil {
			return err
		}
		now, err := s.rows.Get(ctx, e.Realm, e.ID)
		if err != nil || now == nil {
			return err
		}
		return fn(ctx, now)
	})
}

// forget deletes blobs and then their rows.
func (s *service) forget(ctx context.Context, keys []string) error {
	if err := s.Blobs.Delete(ctx, keys...); err != nil {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.ForgetParts(ctx, keys) })
}

// erase deletes the exports of a realm that is being deleted. It deletes the rows first, so that no more parts are
// written.
func (s *service) erase(ctx context.Context, m *realm.Erasing) error {
	if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Forget(ctx, m.Realm) }); err != nil {
		return err
	}
	for {
		keys, err := s.rows.OfRealm(ctx, m.Realm, perClean)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := s.forget(ctx, keys); err != nil {
			return err
		}
	}
}

// keys lists the keys of parts. Blobs of parts that are being written or removed may be missing.
func (s *service) keys(ctx context.Context, after string, limit int) ([]kit.BlobKey, error) {
	rows, err := s.rows.Keys(ctx, after, limit)
	all := make([]kit.BlobKey, len(rows))
	for i, r := range rows {
		all[i] = kit.BlobKey{Key: r.Key, Optional: r.Size == nil || r.Doomed}
	}
	return all, err
}
