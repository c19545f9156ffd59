package groups

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// store stores the groups created by users.
type store struct{ db *bunstore.DB }

type groupRow struct {
	bun.BaseModel `bun:"table:user_groups,alias:g"`
	ID            group.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	Name          string `export:"yes"`
	// View.NameKey of the name, computed when the name was set; in older rows, the name in lower case
	NameKey     string    `export:"no"`
	Description string    `export:"yes"`
	CreatorID   user.ID   `export:"yes" person:"id"`
	CreatedAt   time.Time `export:"yes"`
	Deactivated bool      `export:"yes"`
	Permissions string    `bun:"type:text" export:"yes,json"`
}

type memberRow struct {
	bun.BaseModel `bun:"table:user_group_members,alias:m"`
	GroupID       group.ID `bun:",pk" export:"yes"`
	UserID        user.ID  `bun:",pk" export:"yes" person:"id"`
	RealmID       realm.ID
}

type subgroupRow struct {
	bun.BaseModel `bun:"table:user_group_subgroups,alias:s"`
	GroupID       group.ID `bun:",pk" export:"yes"`
	SubgroupID    group.ID `bun:",pk" export:"yes"`
	RealmID       realm.ID
}

func toRow(r realm.ID, g *group.Group, key string) (*groupRow, error) {
	permissions, err := json.Marshal(g.Permissions)
	return &groupRow{
		ID: g.ID, RealmID: r, Name: g.Name, NameKey: key, Description: g.Description, CreatorID: g.Creator,
		CreatedAt: g.Created, Deactivated: g.Deactivated, Permissions: string(permissions),
	}, err
}

func (r *groupRow) group() (*group.Group, error) {
	g := &group.Group{
		ID: r.ID, Name: r.Name, Description: r.Description, Creator: r.CreatorID, Created: r.CreatedAt.UTC(),
		Deactivated: r.Deactivated,
	}
	return g, json.Unmarshal([]byte(r.Permissions), &g.Permissions)
}

// adaptGroup completes an imported group.
func adaptGroup(m importing.Mapping, row *groupRow) (bool, error) {
	row.NameKey = m.NameKey(row.Name)
	var err error
	row.Permissions, err = m.Permissions(row.Permissions, group.OfGroup, row.CreatorID)
	return true, err
}

// Insert stores a new group with its members and subgroups, and sets its ID. key is the comparison key of its name.
// Errors: BadRequest if the name is taken.
func (s store) Insert(ctx context.Context, r realm.ID, g *group.Group, key string) error {
	row, err := toRow(r, g, key)
	if err != nil {
		return err
	}
	err = s.db.From(ctx).
		NewInsert().
		Model(row).
		On("CONFLICT (realm_id, name_key) DO NOTHING").
		Returning("id").
		Scan(ctx, &row.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return taken(g.Name)
	}
	if err != nil {
		return err
	}
	g.ID = row.ID
	if err := s.AddMembers(ctx, r, g.ID, g.Members); err != nil {
		return err
	}
	return s.AddSubgroups(ctx, r, g.ID, g.Subgroups)
}

// Update stores a group without its members and subgroups. key is the comparison key of a new name, or "" if the name
// is unchanged: existing groups may have names that are equal under the current rule. Errors: BadRequest if the new
// name is taken.
func (s store) Update(ctx context.Context, r realm.ID, g *group.Group, key string) error {
	row, err := toRow(r, g, key)
	if err != nil {
		return err
	}
	q := s.db.From(ctx).NewUpdate().Model(row).WherePK()
	if key == "" {
		_, err = q.ExcludeColumn("name_key").Exec(ctx)
		return err
	}
	has, err := s.db.From(ctx).NewSelect().Model((*groupRow)(nil)).
		Where("realm_id = ?", r).Where("name_key = ?", key).Where("id <> ?", g.ID).Exists(ctx)
	if err != nil {
		return err
	}
	if has {
		return taken(g.Name)
	}
	_, err = q.Exec(ctx)
	return err
}

// Delete deletes a group with its members and subgroups.
func (s store) Delete(ctx context.Context, id group.ID) error {
	for _, model := range []any{(*memberRow)(nil), (*subgroupRow)(nil)} {
		if _, err := s.db.From(ctx).NewDelete().Model(model).Where("group_id = ?", id).Exec(ctx); err != nil {
			return err
		}
	}
	_, err := s.db.From(ctx).NewDelete().Model((*groupRow)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}

// AddMembers adds members, who must not be in the group yet.
func (s store) AddMembers(ctx context.Context, r realm.ID, g group.ID, us user.Set) error {
	rows := make([]memberRow, len(us))
	for i, u := range us {
		rows[i] = memberRow{GroupID: g, UserID: u, RealmID: r}
	}
	return s.insertMembers(ctx, rows)
}

// AddMember adds a member to several groups. The user must not be in any of them yet.
func (s store) AddMember(ctx context.Context, r realm.ID, gs group.Set, u user.ID) error {
	rows := make([]memberRow, len(gs))
	for i, g := range gs {
		rows[i] = memberRow{GroupID: g, UserID: u, RealmID: r}
	}
	return s.insertMembers(ctx, rows)
}

func (s store) insertMembers(ctx context.Context, rows []memberRow) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// RemoveMembers removes members.
func (s store) RemoveMembers(ctx context.Context, g group.ID, us user.Set) error {
	if len(us) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*memberRow)(nil)).
		Where("group_id = ?", g).
		Where("user_id IN (?)", bun.List(us)).
		Exec(ctx)
	return err
}

// AddSubgroups adds subgroups, which must not be in the group yet.
func (s store) AddSubgroups(ctx context.Context, r realm.ID, g group.ID, subs group.Set) error {
	rows := make([]subgroupRow, len(subs))
	for i, sub := range subs {
		rows[i] = subgroupRow{GroupID: g, SubgroupID: sub, RealmID: r}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// RemoveSubgroups removes subgroups.
func (s store) RemoveSubgroups(ctx context.Context, g group.ID, subs group.Set) error {
	if len(subs) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*subgroupRow)(nil)).
		Where("group_id = ?", g).
		Where("subgroup_id IN (?)", bun.List(subs)).
		Exec(ctx)
	return err
}

// All returns a realm's groups with their members and subgroups, by ID.
func (s store) All(ctx context.Context, r realm.ID) ([]*group.Group, error) {
	var rows []*groupRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Order("id").Scan(ctx); err != nil {
		return nil, err
	}
	var members []memberRow
	if err := s.db.From(ctx).NewSelect().Model(&members).Where("realm_id = ?", r).Scan(ctx); err != nil {
		return nil, err
	}
	var subgroups []subgroupRow
	if err := s.db.From(ctx).NewSelect().Model(&subgroups).Where("realm_id = ?", r).Scan(ctx); err != nil {
		return nil, err
	}
	who, subs := map[group.ID][]user.ID{}, map[group.ID][]group.ID{}
	for _, m := range members {
		who[m.GroupID] = append(who[m.GroupID], m.UserID)
	}
	for _, sub := range subgroups {
		subs[sub.GroupID] = append(subs[sub.GroupID], sub.SubgroupID)
	}
	all := make([]*group.Group, len(rows))
	for i, row := range rows {
		g, err := row.group()
		if err != nil {
			return nil, err
		}
		g.Members, g.Subgroups = idset.Of(who[g.ID]...), idset.Of(subs[g.ID]...)
		all[i] = g
	}
	return all, nil
}

func taken(name string) error { return errs.Bad("User group '%s' already exists.", name) }
