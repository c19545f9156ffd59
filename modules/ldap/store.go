package ldap

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// person is a user who logs in with a directory.
type person struct {
	bun.BaseModel `bun:"table:ldap_people,alias:p"`
	UserID        user.ID `bun:",pk" person:"row"`
	Directory     string  `bun:",pk"`
	RealmID       realm.ID
	Name          string // with which the person has logged in
	Deactivated   bool   // by a synchronization
}

// Person returns what is known about a user at a directory, or nil.
func (s store) Person(ctx context.Context, r realm.ID, directory string, u user.ID) (*person, error) {
	var p person
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&p).Where("user_id = ?", u).
		Where("directory = ?", directory).Where("realm_id = ?", r).Scan(ctx))
	if !found {
		return nil, err
	}
	return &p, nil
}

// Remember stores the name with which a user has logged in.
func (s store) Remember(ctx context.Context, p *person) error {
	_, err := s.db.From(ctx).NewInsert().Model(p).On("CONFLICT (user_id, directory) DO UPDATE").
		Set("name = EXCLUDED.name").Exec(ctx)
	return err
}

// Mark stores whether a synchronization has deactivated a user.
func (s store) Mark(ctx context.Context, p *person) error {
	_, err := s.db.From(ctx).NewInsert().Model(p).On("CONFLICT (user_id, directory) DO UPDATE").
		Set("deactivated = EXCLUDED.deactivated").Exec(ctx)
	return err
}

// Marked returns the users whom synchronizations with a directory have deactivated.
func (s store) Marked(ctx context.Context, r realm.ID, directory string) (map[user.ID]bool, error) {
	var ids []user.ID
	err := s.db.From(ctx).NewSelect().Model((*person)(nil)).Column("user_id").Where("realm_id = ?", r).
		Where("directory = ?", directory).Where("deactivated").Scan(ctx, &ids)
	all := make(map[user.ID]bool, len(ids))
	for _, id := range ids {
		all[id] = true
	}
	return all, err
}

// Unmark forgets that a synchronization has deactivated a user.
func (s store) Unmark(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*person)(nil)).Set("deactivated = ?", false).Where("user_id = ?", u).
		Where("deactivated").Exec(ctx)
	return err
}

// Forget deletes what is known about a user.
func (s store) Forget(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*person)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}
