package accounts

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
)

// store holds users, their passwords and their API keys.
type store struct{ db *bunstore.DB }

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	ID            user.ID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	DeliveryEmail string
	EmailKey      string
	FullName      string
	Role          user.Role
	Active        bool
	BotType       user.BotType
	BotOwner      user.ID
	System        bool
	JoinedAt      time.Time
	AvatarSource  string
	AvatarVersion int
	Avatar        string
	Settings      string `bun:"type:text"` // what is not as the defaults are
}

func toRow(r realm.ID, u *user.User) (*userRow, error) {
	settings, err := json.Marshal(setting.Differing(u.Settings, user.Defaults()))
	return &userRow{
		ID: u.ID, RealmID: r, DeliveryEmail: u.DeliveryEmail, EmailKey: user.EmailKey(u.DeliveryEmail), FullName: u.FullName,
		Role: u.Role, Active: u.Active, BotType: u.BotType, BotOwner: u.BotOwner, System: u.System, JoinedAt: u.Joined,
		AvatarSource: u.AvatarSource, AvatarVersion: u.AvatarVersion, Avatar: u.Avatar, Settings: string(settings),
	}, err
}

// user reads the row over the defaults. Most people have changed little, so that a large realm is read quickly.
func (r *userRow) user(keys []user.KeyHash) (*user.User, error) {
	u := &user.User{
		ID: r.ID, DeliveryEmail: r.DeliveryEmail, FullName: r.FullName, Role: r.Role, Active: r.Active, BotType: r.BotType,
		BotOwner: r.BotOwner, System: r.System, Joined: r.JoinedAt.UTC(), AvatarSource: r.AvatarSource,
		AvatarVersion: r.AvatarVersion, Avatar: r.Avatar, Keys: keys, Settings: user.Defaults(),
	}
	if r.Settings == "{}" {
		return u, nil
	}
	return u, json.Unmarshal([]byte(r.Settings), &u.Settings)
}

// Insert stores a new user and gives it its id. Errors: BadRequest when the address is taken.
func (s store) Insert(ctx context.Context, r realm.ID, u *user.User) error {
	row, err := toRow(r, u)
	if err != nil {
		return err
	}
	err = s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (realm_id, email_key) DO NOTHING").Returning("id").Scan(ctx, &row.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return inUse(u.DeliveryEmail)
	}
	u.ID = row.ID
	return err
}

// Update stores a user who is there. The address is known to be free: the view says so, and the commit checks the view.
func (s store) Update(ctx context.Context, r realm.ID, u *user.User) error {
	row, err := toRow(r, u)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewUpdate().Model(row).WherePK().Exec(ctx)
	return err
}

// All gives all users of a realm with their keys, in any order.
func (s store) All(ctx context.Context, r realm.ID) ([]*user.User, error) {
	var rows []*userRow
	q := s.db.From(ctx).NewSelect().Model(&rows).ExcludeColumn("realm_id", "email_key") // each value costs time, of thousands of rows
	if err := q.Where("realm_id = ?", r).Scan(ctx); err != nil {
		return nil, err
	}
	keys, err := s.keys(ctx, r)
	if err != nil {
		return nil, err
	}
	users := make([]*user.User, len(rows))
	for i, row := range rows {
		if users[i], err = row.user(keys[row.ID]); err != nil {
			return nil, err
		}
	}
	return users, nil
}

func inUse(email string) error { return errs.Bad("Email '%s' already in use", email) }
