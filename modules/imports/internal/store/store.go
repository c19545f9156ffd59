// Package store stores the state of imports, and the rows of other modules' tables that they insert.
package store

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Store accesses the tables.
type Store struct{ db *bunstore.DB }

// New returns a Store.
func New(db *bunstore.DB) *Store { return &Store{db} }

// Run is the state of the import of an organization.
type Run struct {
	bun.BaseModel `bun:"table:import_runs,alias:r"`
	Realm         realm.ID `bun:"realm_id,pk"`
	Source        string
	Complete      bool
	Joined        bool // the organization existed before
	AfterMessage  int64
	StartedAt     time.Time
	EndedAt       time.Time `bun:",nullzero"`
}

// Key is what became of a record.
type Key struct {
	bun.BaseModel `bun:"table:import_keys,alias:k"`
	Realm         realm.ID      `bun:"realm_id,pk"`
	Kind          string        `bun:",pk"`
	Key           importing.Key `bun:",pk"`
	ID            int64
	Path          string
}

// Tables declares the tables.
func Tables() []kit.Table {
	const internal = "internal state of this server"
	return []kit.Table{
		kit.NotExported[Run](internal), kit.NotExported[Key](internal), kit.NotExported[Job](internal),
		kit.NotExported[Part](internal), kit.NotExported[Letter](internal),
	}
}

// block is the maximum number of rows or keys per statement.
const block = 500

// Run returns the import of a realm, or nil.
func (s *Store) Run(ctx context.Context, r realm.ID) (*Run, error) {
	var run Run
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&run).Where("realm_id = ?", r).Scan(ctx))
	if !found {
		return nil, err
	}
	return &run, nil
}

// Save stores the state of an import.
func (s *Store) Save(ctx context.Context, run *Run) error {
	_, err := s.db.From(ctx).NewInsert().Model(run).On("CONFLICT (realm_id) DO UPDATE").
		Set("source = EXCLUDED.source").Set("complete = EXCLUDED.complete").Set("joined = EXCLUDED.joined").
		Set("after_message = EXCLUDED.after_message").Set("started_at = EXCLUDED.started_at").
		Set("ended_at = EXCLUDED.ended_at").Exec(ctx)
	return err
}

// Known returns what became of those of the records that were imported.
func (s *Store) Known(
	ctx context.Context, r realm.ID, kind string, keys []importing.Key,
) (map[importing.Key]Key, error) {
	all := make(map[importing.Key]Key, len(keys))
	for some := range slices.Chunk(keys, block) {
		var rows []Key
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ? AND kind = ?", r, kind).
			Where("key IN (?)", bun.List(some)).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, k := range rows {
			all[k.Key] = k
		}
	}
	return all, nil
}

// All returns what became of all records of a kind, of which there must not be many.
func (s *Store) All(ctx context.Context, r realm.ID, kind string) (map[importing.Key]Key, error) {
	var rows []Key
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ? AND kind = ?", r, kind).Scan(ctx)
	all := make(map[importing.Key]Key, len(rows))
	for _, k := range rows {
		all[k.Key] = k
	}
	return all, err
}

// Add records what became of records.
func (s *Store) Add(ctx context.Context, keys ...Key) error {
	for some := range slices.Chunk(keys, block) {
		if _, err := s.db.From(ctx).NewInsert().Model(&some).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Insert inserts rows, given as a pointer to a slice of a table's rows, into that table. With auto, the database
// assigns their IDs, which Insert returns in the order of the rows; otherwise, rows that exist already are left as they
// are.
func (s *Store) Insert(ctx context.Context, rows any, auto bool) ([]int64, error) {
	all := reflect.ValueOf(rows).Elem()
	var ids []int64
	for i := 0; i < all.Len(); i += block {
		some := reflect.New(all.Type())
		some.Elem().Set(all.Slice(i, min(all.Len(), i+block)))
		q := s.db.From(ctx).NewInsert().Model(some.Interface())
		if !auto {
			if _, err := q.On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
				return nil, err
			}
			continue
		}
		var more []int64
		if err := q.Returning("id").Scan(ctx, &more); err != nil {
			return nil, err
		}
		slices.Sort(more) // assigned in the order of the rows, but returned in any order
		ids = append(ids, more...)
	}
	return ids, nil
}

// Update changes columns of a row, given as a pointer to it.
func (s *Store) Update(ctx context.Context, row any, columns ...string) error {
	_, err := s.db.From(ctx).NewUpdate().Model(row).Column(columns...).WherePK().Exec(ctx)
	return err
}

// Newest returns the highest message ID.
func (s *Store) Newest(ctx context.Context) (int64, error) {
	var id int64
	err := s.db.From(ctx).NewRaw("SELECT COALESCE(MAX(id), 0) FROM messages").Scan(ctx, &id)
	return id, err
}

// Subscriptions returns the active subscriptions of a realm, also those of deactivated people.
func (s *Store) Subscriptions(ctx context.Context, r realm.ID) (map[channel.SubscriptionRef]bool, error) {
	var rows []struct {
		User    user.ID    `bun:"user_id"`
		Channel channel.ID `bun:"channel_id"`
	}
	err := s.db.From(ctx).NewSelect().Table("subscriptions").Column("user_id", "channel_id").
		Where("realm_id = ? AND active", r).Scan(ctx, &rows)
	all := make(map[channel.SubscriptionRef]bool, len(rows))
	for _, x := range rows {
		all[channel.SubscriptionRef{User: x.User, Channel: x.Channel}] = true
	}
	return all, err
}

// Unfinished returns the realms whose import has not been completed.
func (s *Store) Unfinished(ctx context.Context) ([]Run, error) {
	var runs []Run
	err := s.db.From(ctx).NewSelect().Model(&runs).Where("NOT complete").Order("realm_id").Scan(ctx)
	return runs, err
}
