package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
)

// ThumbnailJob describes a file whose thumbnails must be made, or whose messages must be rerendered to show them.
type ThumbnailJob struct {
	bun.BaseModel `bun:"table:upload_thumbnails,alias:t"`
	AttachmentID  upload.ID `bun:",pk"`
	RealmID       realm.ID
	OwnerID       user.ID `person:"id"`
	DueAt         time.Time
	Tries         int
	Shown         bool   // the messages have been rerendered once
	Holder        string // the node that works on the image; "" if none does
}

// EarliestThumbnail selects when the first job is due.
const EarliestThumbnail = "SELECT min(due_at) FROM upload_thumbnails"

// QueueThumbnail schedules the thumbnails of a file.
func (s *Store) QueueThumbnail(ctx context.Context, f *upload.File) error {
	r := ThumbnailJob{AttachmentID: f.ID, RealmID: f.Realm, OwnerID: f.Owner, DueAt: f.CreatedAt}
	_, err := s.db.From(ctx).NewInsert().Model(&r).On("CONFLICT (attachment_id) DO NOTHING").Exec(ctx)
	return err
}

// DueThumbnail returns the most overdue job of the next owner after the given one, so that owners take turns. It counts
// the attempt and makes the job due again at retry. It returns nil if no job is due. Call it inside Do.
func (s *Store) DueThumbnail(
	ctx context.Context,
	holder string,
	after user.ID,
	now, retry time.Time,
) (*ThumbnailJob, error) {
	j, err := s.dueAfter(ctx, after, now)
	if err == nil && j == nil {
		j, err = s.dueAfter(ctx, -1, now) // the owner of deleted files is 0
	}
	if err != nil || j == nil {
		return nil, err
	}
	j.Tries++
	_, err = s.db.From(ctx).NewUpdate().Model(j).Set("tries = ?", j.Tries).Set("due_at = ?", retry).
		Set("holder = ?", holder).WherePK().Exec(ctx)
	return j, err
}

func (s *Store) dueAfter(ctx context.Context, after user.ID, now time.Time) (*ThumbnailJob, error) {
	var jobs []ThumbnailJob
	q := s.db.From(ctx).NewSelect().Model(&jobs).Where("t.owner_id > ?", after).Where("t.due_at <= ?", now).
		Order("t.owner_id", "t.due_at", "t.attachment_id").Limit(1)
	if err := s.db.ForUpdate(q).Scan(ctx); err != nil || len(jobs) == 0 {
		return nil, err
	}
	return &jobs[0], nil
}

// UncountAttempt reverts the count of an attempt that failed for a reason other than the image.
func (s *Store) UncountAttempt(ctx context.Context, j *ThumbnailJob) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*ThumbnailJob)(nil)).Set("tries = ?", j.Tries-1).Set("holder = ''").
		Where("attachment_id = ?", j.AttachmentID).Where("tries = ?", j.Tries).Exec(ctx)
	return err
}

// ThumbnailsDue reports whether any job is due.
func (s *Store) ThumbnailsDue(ctx context.Context, now time.Time) (bool, error) {
	var ids []upload.ID
	err := s.db.From(ctx).NewSelect().Model((*ThumbnailJob)(nil)).Column("attachment_id").
		Where("t.due_at <= ?", now).Limit(1).Scan(ctx, &ids)
	return len(ids) > 0, err
}

// ScheduleRerender records that a file's messages have been rerendered once, and schedules the second time.
func (s *Store) ScheduleRerender(ctx context.Context, id upload.ID, due time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*ThumbnailJob)(nil)).
		Set("shown = ?", true).Set("tries = 0").Set("due_at = ?", due).Set("holder = ''").
		Where("attachment_id = ?", id).Exec(ctx)
	return err
}

// DeleteThumbnailJob deletes the job of a file.
func (s *Store) DeleteThumbnailJob(ctx context.Context, id upload.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*ThumbnailJob)(nil)).Where("attachment_id = ?", id).Exec(ctx)
	return err
}

// SetThumbnail sets the state of a file's thumbnails. It reports false if the file no longer exists.
func (s *Store) SetThumbnail(ctx context.Context, id upload.ID, state upload.ThumbnailState) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("thumbnail = ?", state).
		Where("id = ?", id).Exec(ctx))
}
