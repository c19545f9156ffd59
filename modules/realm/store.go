package realm

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
)

// store accesses the table realms.
type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:realms,alias:r"`
	ID            realm.ID   `bun:",pk,autoincrement" export:"yes,realm"`
	StringID      string     `export:"yes"`
	UUID          string     `bun:"uuid" export:"yes"`
	MailDomain    string     `export:"yes"`
	CreatedAt     time.Time  `export:"yes"`
	Deactivated   bool       `export:"no"`
	DeleteAfter   *time.Time `export:"no"`
	Deleting      bool       `export:"no"`
	Settings      string     `bun:"type:text" export:"yes,json"`
	RetentionDays int        `export:"no"` // a copy of the value in Settings, for queries
	Domains       string     `bun:"type:text" export:"yes,json"`
	LastDomain    int64      `export:"no"`
	UserDefaults  string     `bun:"type:text" export:"yes,json"`
	Emblems       string     `bun:"type:text" export:"yes,json"`
}

func toRow(r *realm.Realm) (*row, error) {
	settings, err := json.Marshal(r.Settings)
	if err != nil {
		return nil, err
	}
	domains := []byte("[]")
	if len(r.Domains) > 0 {
		if domains, err = json.Marshal(r.Domains); err != nil {
			return nil, err
		}
	}
	var deleteAfter *time.Time
	if !r.DeleteAfter.IsZero() {
		deleteAfter = &r.DeleteAfter
	}
	var users []byte
	if r.UserDefaults != nil {
		if users, err = json.Marshal(setting.Differing(*r.UserDefaults, user.Defaults())); err != nil {
			return nil, err
		}
	}
	emblems, err := json.Marshal(r.Emblems)
	if err != nil {
		return nil, err
	}
	return &row{
		ID: r.ID, StringID: r.StringID, UUID: r.UUID, MailDomain: r.MailDomain, CreatedAt: r.Created,
		Deactivated: r.Deactivated, DeleteAfter: deleteAfter, Deleting: r.Deleting,
		Settings: string(settings), RetentionDays: r.Settings.MessageRetentionDays,
		Domains: string(domains), LastDomain: r.LastDomain, UserDefaults: string(users), Emblems: string(emblems),
	}, nil
}

// realm decodes the row. Settings that were added after the row was stored have their default values.
func (r *row) realm() (*realm.Realm, error) {
	out := &realm.Realm{
		ID: r.ID, StringID: r.StringID, UUID: r.UUID, MailDomain: r.MailDomain, Created: r.CreatedAt.UTC(),
		Deactivated: r.Deactivated, Deleting: r.Deleting,
		Settings: realm.Defaults(), LastDomain: r.LastDomain,
	}
	if err := json.Unmarshal([]byte(r.Domains), &out.Domains); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(r.Emblems), &out.Emblems); err != nil {
		return nil, err
	}
	if r.DeleteAfter != nil {
		out.DeleteAfter = r.DeleteAfter.UTC()
	}
	if r.UserDefaults != "" {
		users := user.Defaults()
		if err := json.Unmarshal([]byte(r.UserDefaults), &users); err != nil {
			return nil, err
		}
		out.UserDefaults = &users
	}
	return out, json.Unmarshal([]byte(r.Settings), &out.Settings)
}

// Insert stores a new realm and sets its ID. Errors: BadRequest if the string ID is in use.
func (s store) Insert(ctx context.Context, r *realm.Realm) error {
	row, err := toRow(r)
	if err != nil {
		return err
	}
	err = s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (string_id) DO NOTHING").Returning("id").Scan(ctx, &row.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return errSubdomainInUse()
	}
	r.ID = row.ID
	return err
}

// Update stores an existing realm.
func (s store) Update(ctx context.Context, r *realm.Realm) error {
	row, err := toRow(r)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewUpdate().Model(row).WherePK().Exec(ctx)
	return err
}

// Get returns a realm, or nil.
func (s store) Get(ctx context.Context, id realm.ID) (*realm.Realm, error) {
	var r row
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&r).Where("id = ?", id).Scan(ctx))
	if !found {
		return nil, err
	}
	return r.realm()
}

// realmRef holds the ID and the string ID of a realm.
type realmRef struct {
	ID       realm.ID
	StringID string
}

// Refs returns the references of all realms, sorted by ID.
func (s store) Refs(ctx context.Context) ([]realmRef, error) {
	var all []realmRef
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id", "string_id").Order("id").Scan(ctx, &all)
	return all, err
}

// Expired returns the deactivated realms that must be deleted by now but are not marked as being deleted.
func (s store) Expired(ctx context.Context, now time.Time) ([]realm.ID, error) {
	return s.ids(
		ctx,
		s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("deactivated AND NOT deleting").Where("delete_after <= ?", now),
	)
}

// Active returns the realms that are not deactivated.
func (s store) Active(ctx context.Context) ([]realm.ID, error) {
	return s.ids(ctx, s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("NOT deactivated"))
}

// RetentionDays returns the message retention time in days of each active realm with limited retention.
func (s store) RetentionDays(ctx context.Context) (map[realm.ID]int, error) {
	var all []struct {
		ID            realm.ID
		RetentionDays int
	}
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column("id", "retention_days").
		Where("NOT deactivated").
		Where("retention_days > 0").
		Scan(ctx, &all)
	out := make(map[realm.ID]int, len(all))
	for _, r := range all {
		out[r.ID] = r.RetentionDays
	}
	return out, err
}

// Deleting returns the realms that are marked as being deleted.
func (s store) Deleting(ctx context.Context) ([]realm.ID, error) {
	return s.ids(ctx, s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("deleting"))
}

func (s store) ids(ctx context.Context, q *bun.SelectQuery) ([]realm.ID, error) {
	var ids []realm.ID
	err := q.Column("id").Order("id").Scan(ctx, &ids)
	return ids, err
}

// Delete deletes a realm.
func (s store) Delete(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", r).Exec(ctx)
	return err
}
