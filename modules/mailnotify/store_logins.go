package mailnotify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// loginDevice is a combination of program and network from which a user has logged in.
type loginDevice struct {
	bun.BaseModel `bun:"table:login_devices,alias:d"`
	UserID        user.ID `bun:",pk" person:"row"`
	Device        string  `bun:",pk"`
	RealmID       realm.ID
	SeenAt        time.Time
}

// loginNotice is a login that an email reports to the user.
type loginNotice struct {
	bun.BaseModel `bun:"table:login_notices,alias:n"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Program       string
	Address       string
	CreatedAt     time.Time
}

// RecordDevice records a login from a device and reports whether the user had logged in from it before.
func (s store) RecordDevice(ctx context.Context, d loginDevice) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewUpdate().Model(&d).Column("seen_at").WherePK().Exec(ctx))
	if err != nil || n > 0 {
		return true, err
	}
	_, err = s.db.From(ctx).NewInsert().Model(&d).On("CONFLICT DO NOTHING").Exec(ctx)
	return false, err
}

// NewLogin stores a login, and returns its ID.
func (s store) NewLogin(ctx context.Context, n loginNotice) (int64, error) {
	_, err := s.db.From(ctx).NewInsert().Model(&n).Returning("id").Exec(ctx)
	return n.ID, err
}

// Login returns a login, or nil.
func (s store) Login(ctx context.Context, id int64) (*loginNotice, error) {
	var n loginNotice
	return bunstore.OrNil(&n, s.db.From(ctx).NewSelect().Model(&n).Where("id = ?", id).Scan(ctx))
}

// PruneLogins deletes logins created before logins, and devices last used before devices.
func (s store) PruneLogins(ctx context.Context, logins, devices time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*loginNotice)(nil)).Where("created_at < ?", logins).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewDelete().Model((*loginDevice)(nil)).Where("seen_at < ?", devices).Exec(ctx)
	return err
}
