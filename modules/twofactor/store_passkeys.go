package twofactor

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// passkeyID identifies a passkey.
type passkeyID int64

type passkey struct {
	bun.BaseModel `bun:"table:passkeys,alias:p"`
	ID            passkeyID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Credential    string
	Record        string
	Name          string
	CreatedAt     int64
	UsedAt        int64
}

// stored returns the credential as the library knows it.
func (p *passkey) stored() (webauthn.Credential, error) {
	var c webauthn.Credential
	err := json.Unmarshal([]byte(p.Record), &c)
	return c, err
}

type passkeyUser struct {
	bun.BaseModel `bun:"table:passkey_users,alias:u"`
	UserID        user.ID `bun:",pk" person:"row"`
	RealmID       realm.ID
	Handle        string
}

// Passkeys returns the passkeys of a user, oldest first; at most maxPasskeys.
func (s store) Passkeys(ctx context.Context, u user.ID) ([]passkey, error) {
	all := []passkey{}
	err := s.db.From(ctx).NewSelect().Model(&all).Where("user_id = ?", u).Order("id").Limit(maxPasskeys).Scan(ctx)
	return all, err
}

// AddPasskey stores a new passkey.
func (s store) AddPasskey(ctx context.Context, p *passkey) error {
	_, err := s.db.From(ctx).NewInsert().Model(p).Returning("id").Exec(ctx)
	return err
}

// Known reports whether a credential is a passkey of somebody.
func (s store) Known(ctx context.Context, r realm.ID, credential string) (bool, error) {
	return s.db.From(ctx).NewSelect().Model((*passkey)(nil)).Where("realm_id = ?", r).
		Where("credential = ?", credential).Exists(ctx)
}

// UsedPasskey stores the record of a passkey that was used.
func (s store) UsedPasskey(ctx context.Context, id passkeyID, record string, now time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*passkey)(nil)).Set("record = ?", record).Set("used_at = ?", now.Unix()).
		Where("id = ?", id).Exec(ctx)
	return err
}

// RemovePasskey deletes a passkey of a user, and reports whether it existed.
func (s store) RemovePasskey(ctx context.Context, u user.ID, id passkeyID) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewDelete().Model((*passkey)(nil)).Where("user_id = ?", u).
		Where("id = ?", id).Exec(ctx))
	return n > 0, err
}

// AnyPasskey reports whether anybody in a realm has a passkey.
func (s store) AnyPasskey(ctx context.Context, r realm.ID) (bool, error) {
	return s.db.From(ctx).NewSelect().Model((*passkey)(nil)).Where("realm_id = ?", r).Exists(ctx)
}

// Handle returns what devices know a user by, which is fresh if the user has none yet.
func (s store) Handle(ctx context.Context, r realm.ID, u user.ID, fresh string) (string, error) {
	one := passkeyUser{UserID: u, RealmID: r, Handle: fresh}
	if _, err := s.db.From(ctx).NewInsert().Model(&one).On("CONFLICT (user_id) DO NOTHING").Exec(ctx); err != nil {
		return "", err
	}
	err := s.db.From(ctx).NewSelect().Model(&one).WherePK().Where("realm_id = ?", r).Scan(ctx)
	return one.Handle, err
}

// HandleOf returns what devices know a user by, or "".
func (s store) HandleOf(ctx context.Context, u user.ID) (string, error) {
	var one passkeyUser
	_, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).Where("user_id = ?", u).Scan(ctx))
	return one.Handle, err
}

// ByHandle returns the user whom devices know by a handle, or 0.
func (s store) ByHandle(ctx context.Context, r realm.ID, handle string) (user.ID, error) {
	var one passkeyUser
	_, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).Where("realm_id = ?", r).
		Where("handle = ?", handle).Scan(ctx))
	return one.UserID, err
}
