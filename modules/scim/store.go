package scim

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// person is what clients have said about a user.
type person struct {
	bun.BaseModel `bun:"table:scim_people,alias:p"`
	UserID        user.ID `bun:",pk" person:"row"`
	RealmID       realm.ID
	Manager       string
	UserName      string
	UserKey       string
	ExternalID    string
	Attributes    string
	SetsRole      bool
	Removed       bool
	Version       int64
}

// People returns what is known about all users of a realm.
func (s store) People(ctx context.Context, r realm.ID) (map[user.ID]*person, error) {
	var rows []*person
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx)
	all := make(map[user.ID]*person, len(rows))
	for _, p := range rows {
		all[p.UserID] = p
	}
	return all, err
}

// Person returns what is known about a user, or nil.
func (s store) Person(ctx context.Context, r realm.ID, u user.ID) (*person, error) {
	return s.onePerson(ctx, r, "user_id", u)
}

// ByName returns the user with a name, case-folded, or nil.
func (s store) ByName(ctx context.Context, r realm.ID, key string) (*person, error) {
	return s.onePerson(ctx, r, "user_key", key)
}

// ByExternal returns the user with a client's ID, or nil.
func (s store) ByExternal(ctx context.Context, r realm.ID, id string) (*person, error) {
	return s.onePerson(ctx, r, "external_id", id)
}

func (s store) onePerson(ctx context.Context, r realm.ID, column string, value any) (*person, error) {
	var p person
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&p).Where("realm_id = ?", r).
		Where("? = ?", bun.Ident(column), value).Order("removed", "user_id").Limit(1).Scan(ctx))
	if !found {
		return nil, err
	}
	return &p, nil
}

// SavePerson stores what is known about a user.
func (s store) SavePerson(ctx context.Context, p *person) error {
	_, err := s.db.From(ctx).NewInsert().Model(p).On("CONFLICT (user_id) DO UPDATE").
		Set("manager = EXCLUDED.manager").Set("user_name = EXCLUDED.user_name").Set("user_key = EXCLUDED.user_key").
		Set("external_id = EXCLUDED.external_id").Set("attributes = EXCLUDED.attributes").
		Set("sets_role = EXCLUDED.sets_role").Set("removed = EXCLUDED.removed").Set("version = EXCLUDED.version").
		Exec(ctx)
	return err
}

// ForgetPerson deletes what is known about a user.
func (s store) ForgetPerson(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*person)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}

// ours is a user group of a client.
type ours struct {
	bun.BaseModel `bun:"table:scim_groups,alias:g"`
	GroupID       group.ID `bun:",pk"`
	RealmID       realm.ID
	Manager       string
	ExternalID    string
	Version       int64
}

// Groups returns the groups of clients in a realm.
func (s store) Groups(ctx context.Context, r realm.ID) (map[group.ID]*ours, error) {
	var rows []*ours
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx)
	all := make(map[group.ID]*ours, len(rows))
	for _, g := range rows {
		all[g.GroupID] = g
	}
	return all, err
}

// SaveGroup stores a group of a client.
func (s store) SaveGroup(ctx context.Context, g *ours) error {
	_, err := s.db.From(ctx).NewInsert().Model(g).On("CONFLICT (group_id) DO UPDATE").
		Set("manager = EXCLUDED.manager").Set("external_id = EXCLUDED.external_id").
		Set("version = EXCLUDED.version").Exec(ctx)
	return err
}

// ForgetGroup deletes a group of a client.
func (s store) ForgetGroup(ctx context.Context, g group.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*ours)(nil)).Where("group_id = ?", g).Exec(ctx)
	return err
}

// tokenID identifies a token.
type tokenID int64

// token is a token of a client.
type token struct {
	bun.BaseModel `bun:"table:scim_tokens,alias:t"`
	ID            tokenID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	Name          string
	Hash          string
	Hint          string
	CreatorID     user.ID `person:"id"`
	CreatedAt     time.Time
	ExpiresAt     *time.Time
	UsedAt        *time.Time
}

// Tokens returns the tokens of a realm, oldest first.
func (s store) Tokens(ctx context.Context, r realm.ID) ([]*token, error) {
	all := []*token{}
	err := s.db.From(ctx).NewSelect().Model(&all).Where("realm_id = ?", r).Order("id").Scan(ctx)
	return all, err
}

// LockTokens is like Tokens, and locks the rows until the end of the transaction, so that the changes of clients happen
// one after the other.
func (s store) LockTokens(ctx context.Context, r realm.ID) ([]*token, error) {
	var all []*token
	err := s.db.ForUpdate(s.db.From(ctx).NewSelect().Model(&all).Where("realm_id = ?", r).Order("id")).Scan(ctx)
	return all, err
}

// Token returns the token of a realm with a hash, or nil.
func (s store) Token(ctx context.Context, r realm.ID, hash string) (*token, error) {
	var t token
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&t).Where("realm_id = ?", r).
		Where("hash = ?", hash).Scan(ctx))
	if !found {
		return nil, err
	}
	return &t, nil
}

// AddToken stores a new token.
func (s store) AddToken(ctx context.Context, t *token) error {
	_, err := s.db.From(ctx).NewInsert().Model(t).Returning("id").Exec(ctx)
	return err
}

// RemoveToken deletes a token.
func (s store) RemoveToken(ctx context.Context, id tokenID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*token)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}

// Used stores when a token was used.
func (s store) Used(ctx context.Context, id tokenID, now time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*token)(nil)).Set("used_at = ?", now).Where("id = ?", id).Exec(ctx)
	return err
}
