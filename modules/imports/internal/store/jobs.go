package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// JobID identifies the import of an uploaded archive.
type JobID int64

// The states of a Job, as they are stored and on the wire.
const (
	Uploading = "uploading" // the archive is incomplete
	Uploaded  = "uploaded"  // the archive is complete
	Checking  = "checking"  // the dry run
	Checked   = "checked"   // the report of the dry run is there
	Running   = "running"
	Complete  = "complete"
	Failed    = "failed"    // the dry run or the import; it can be repeated
	Ending    = "canceling" // an owner has canceled the dry run or the import, which has not ended yet
	Canceled  = "canceled"  // the import, which can be continued
	Deleting  = "deleting"  // a request has begun to delete it
)

// Idle lists the states in which an import that is not complete waits for an owner.
func Idle() []string { return []string{Uploading, Uploaded, Checked, Failed, Canceled} }

// Job is the import of an archive that an owner has uploaded.
type Job struct {
	bun.BaseModel `bun:"table:import_jobs,alias:j"`
	ID            JobID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"id"`
	Program       string
	FileName      string
	Size          int64 // bytes
	Received      int64 // bytes
	Parts         int64
	State         string
	Options       string
	Report        string
	TargetID      realm.ID
	Step          string
	Messages      int64
	Error         string
	Tries         int64
	DueAt         *time.Time
	CreatedAt     time.Time
	EndedAt       *time.Time
	ActiveAt      *time.Time
}

// Part is a blob with a part of an archive.
type Part struct {
	bun.BaseModel `bun:"table:import_parts,alias:p"`
	Key           string `bun:",pk"`
	JobID         JobID
	RealmID       realm.ID
	Number        int64
	Size          *int64
}

// EarliestJob selects when the first job is due.
const EarliestJob = "SELECT min(due_at) FROM import_jobs WHERE due_at IS NOT NULL"

// Jobs returns the imports that owners of a realm have begun, the newest first.
func (s *Store) Jobs(ctx context.Context, r realm.ID) ([]Job, error) {
	var jobs []Job
	err := s.db.From(ctx).NewSelect().Model(&jobs).Where("realm_id = ?", r).Order("id DESC").Limit(50).Scan(ctx)
	return jobs, err
}

// Job returns an import of a realm, or nil.
func (s *Store) Job(ctx context.Context, r realm.ID, id JobID) (*Job, error) {
	var j Job
	return bunstore.OrNil(&j, s.db.From(ctx).NewSelect().Model(&j).Where("id = ?", id).Where("realm_id = ?", r).
		Scan(ctx))
}

// DueJob returns the import that has been due longest, or nil.
func (s *Store) DueJob(ctx context.Context, now time.Time) (*Job, error) {
	var j Job
	return bunstore.OrNil(&j, s.db.From(ctx).NewSelect().Model(&j).Where("due_at <= ?", now).Order("due_at", "id").
		Limit(1).Scan(ctx))
}

// AddJob stores a new import, and sets its ID.
func (s *Store) AddJob(ctx context.Context, j *Job) error {
	return s.db.From(ctx).NewInsert().Model(j).ExcludeColumn("id").Returning("id").Scan(ctx, &j.ID)
}

// SaveJob stores columns of an import. It reports false if it was deleted.
func (s *Store) SaveJob(ctx context.Context, j *Job, columns ...string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model(j).Column(columns...).WherePK().
		Where("realm_id = ?", j.RealmID).Exec(ctx))
}

// SaveJobIn is like SaveJob, and also reports false if the import is not in a state.
func (s *Store) SaveJobIn(ctx context.Context, j *Job, state string, columns ...string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model(j).Column(columns...).WherePK().
		Where("realm_id = ?", j.RealmID).Where("state = ?", state).Exec(ctx))
}

// Abandoned returns at most limit imports that wait for an owner, or are to be deleted, and have not been active since
// a time.
func (s *Store) Abandoned(ctx context.Context, since time.Time, limit int64) ([]Job, error) {
	var jobs []Job
	err := s.db.From(ctx).NewSelect().Model(&jobs).Where("state IN (?)", bun.List(append(Idle(), Deleting))).
		Where("coalesce(active_at, created_at) < ?", since).Order("id").Limit(limit).Scan(ctx)
	return jobs, err
}

// DropJob deletes an import without parts.
func (s *Store) DropJob(ctx context.Context, id JobID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*Job)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}

// DropJobs deletes a realm's imports, so that no more parts are stored.
func (s *Store) DropJobs(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*Job)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// AddPart records a part before it is stored.
func (s *Store) AddPart(ctx context.Context, p *Part) error {
	_, err := s.db.From(ctx).NewInsert().Model(p).Exec(ctx)
	return err
}

// PartStored adds a stored part to an archive that has received as many bytes and parts as j. It reports false if that
// has changed.
func (s *Store) PartStored(
	ctx context.Context, j *Job, key string, size int64, state string, now time.Time,
) (bool, error) {
	ok, err := bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*Job)(nil)).Set("received = ?", j.Received+size).
		Set("parts = ?", j.Parts+1).Set("state = ?", state).Set("active_at = ?", now).
		Where("id = ?", j.ID).Where("received = ?", j.Received).
		Where("parts = ?", j.Parts).Where("state = ?", Uploading).Exec(ctx))
	if err != nil || !ok {
		return false, err
	}
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*Part)(nil)).Set("size = ?", size).Where("key = ?", key).
		Exec(ctx))
}

// Parts returns the stored parts of an archive, in order.
func (s *Store) Parts(ctx context.Context, id JobID) ([]Part, error) {
	var all []Part
	err := s.db.From(ctx).NewSelect().Model(&all).Where("job_id = ?", id).Where("size IS NOT NULL").Order("number").
		Scan(ctx)
	return all, err
}

// PartKeys returns at most limit keys of blobs of an archive or, if id is 0, of all archives of a realm.
func (s *Store) PartKeys(ctx context.Context, r realm.ID, id JobID, limit int64) ([]string, error) {
	q := s.db.From(ctx).NewSelect().Model((*Part)(nil)).Column("key").Where("realm_id = ?", r).Limit(limit)
	if id != 0 {
		q = q.Where("job_id = ?", id)
	}
	var keys []string
	err := q.Scan(ctx, &keys)
	return keys, err
}

// ForgetParts deletes the rows of parts.
func (s *Store) ForgetParts(ctx context.Context, keys ...string) error {
	_, err := s.db.From(ctx).NewDelete().Model((*Part)(nil)).Where("key IN (?)", bun.List(keys)).Exec(ctx)
	return err
}

// KeysAfter returns at most limit parts with keys greater than after, sorted in byte order.
func (s *Store) KeysAfter(ctx context.Context, after string, limit int) ([]Part, error) {
	var rows []Part
	key := s.db.ByteOrder("p.key")
	err := s.db.From(ctx).NewSelect().Model(&rows).Where(key+" > ?", after).OrderExpr(key).Limit(int64(limit)).Scan(ctx)
	return rows, err
}
