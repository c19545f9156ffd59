package mailnotify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// digestRun records the progress of an organization's latest digests.
type digestRun struct {
	bun.BaseModel `bun:"table:digest_runs,alias:r"`
	RealmID       realm.ID `bun:",pk"`
	BegunAt       time.Time
	AfterUser     user.ID `person:"id"` // digests of users with IDs up to this one have been posted
	Done          bool    // all digests have been posted
}

// digestLetter is the digest of one user.
type digestLetter struct {
	bun.BaseModel `bun:"table:digest_letters,alias:d"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID       `person:"row"`
	Discussions   []digestEntry `bun:"type:text"`
	CreatedAt     time.Time
}

// digestEntry is a discussion chosen for a digest.
type digestEntry struct {
	Messages int          `json:"messages"`
	Writers  int          `json:"writers"`
	Newest   []message.ID `json:"newest"`
}

// DigestRun returns the latest run of an organization, or nil.
func (s store) DigestRun(ctx context.Context, r realm.ID) (*digestRun, error) {
	var run digestRun
	return bunstore.OrNil(&run, s.db.From(ctx).NewSelect().Model(&run).Where("realm_id = ?", r).Scan(ctx))
}

// BeginDigest stores a new run of an organization. It replaces the previous one.
func (s store) BeginDigest(ctx context.Context, run *digestRun) error {
	_, err := s.db.From(ctx).NewInsert().Model(run).On("CONFLICT (realm_id) DO UPDATE").
		Set("begun_at = EXCLUDED.begun_at, after_user = EXCLUDED.after_user, done = EXCLUDED.done").Exec(ctx)
	return err
}

// AdvanceDigest records the progress of a run. It reports false if another node has advanced the run.
func (s store) AdvanceDigest(ctx context.Context, run *digestRun, upto user.ID, done bool) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*digestRun)(nil)).Set("after_user = ?", upto).
		Set("done = ?", done).
		Where("realm_id = ?", run.RealmID).Where("after_user = ?", run.AfterUser).Where("done = ?", false).Exec(ctx))
}

// NewDigests stores digests and sets their IDs.
func (s store) NewDigests(ctx context.Context, rows []digestLetter) error {
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Returning("id").Exec(ctx)
	return err
}

// Digest returns a digest, or nil.
func (s store) Digest(ctx context.Context, id int64) (*digestLetter, error) {
	var d digestLetter
	return bunstore.OrNil(&d, s.db.From(ctx).NewSelect().Model(&d).Where("id = ?", id).Scan(ctx))
}

// PruneDigests deletes digests created before the given time.
func (s store) PruneDigests(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*digestLetter)(nil)).Where("created_at < ?", before).Exec(ctx)
	return err
}
