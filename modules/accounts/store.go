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

// store accesses the module's tables.
type store struct{ db *bunstore.DB }

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	ID            user.ID `bun:",pk,autoincrement" export:"yes" person:"hook"`
	RealmID       realm.ID
	DeliveryEmail string       `export:"yes" person:"hook"`
	EmailKey      string       `export:"no" person:"hook"`
	FullName      string       `export:"yes"`
	Role          user.Role    `export:"yes"`
	Active        bool         `export:"yes"`
	BotType       user.BotType `export:"yes"`
	BotOwner      user.ID      `export:"yes" person:"id"`
	System        bool         `export:"yes"`
	JoinedAt      time.Time    `export:"yes"`
	AvatarSource  string       `export:"yes"`
	AvatarVersion int          `export:"yes"`
	Avatar        string       `export:"yes"`
	// JSON object of the values that differ from the defaults
	Settings string `bun:"type:text" export:"yes,json"`
}

func toRow(r realm.ID, u *user.User) (*userRow, error) {
	settings, err := json.Marshal(setting.Differing(u.Settings, user.Defaults()))
	return &userRow{
		ID: u.ID, RealmID: r, DeliveryEmail: u.DeliveryEmail, EmailKey: user.EmailKey(u.DeliveryEmail), FullName: u.FullName,
		Role: u.Role, Active: u.Active, BotType: u.BotType, BotOwner: u.BotOwner, System: u.System, JoinedAt: u.Joined,
		AvatarSource: u.AvatarSource, AvatarVersion: u.AvatarVersion, Avatar: u.Avatar, Settings: string(settings),
	}, err
}

// Insert stores a new user and sets u.ID. Errors: BadRequest if the email address is in use.
func (s store) Insert(ctx context.Context, r realm.ID, u *user.User) error {
	row, err := toRow(r, u)
	if err != nil {
		return err
	}
	err = s.db.From(ctx).
		NewInsert().
		Model(row).
		On("CONFLICT (realm_id, email_key) DO NOTHING").
		Returning("id").
		Scan(ctx, &row.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return errEmailInUse(u.DeliveryEmail)
	}
	u.ID = row.ID
	return err
}

// Update stores an existing user. It does not check that the email address is unused: callers check the view, and the
// commit fails if the view is outdated.
func (s store) Update(ctx context.Context, r realm.ID, u *user.User) error {
	row, err := toRow(r, u)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewUpdate().Model(row).WherePK().Exec(ctx)
	return err
}

func errEmailInUse(email string) error { return errs.Bad("Email '%s' already in use", email) }
