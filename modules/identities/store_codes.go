package identities

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
)

type codeID int64

// code is a code that was mailed to an address.
type code struct {
	bun.BaseModel `bun:"table:signin_codes,alias:c"`
	ID            codeID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	Flow          string
	Provider      string
	Subject       string
	Email         string `person:"address"`
	Address       string
	Language      string
	Code          string
	CreatedAt     int64
}

// AddCode stores a code and sets its ID.
func (s store) AddCode(ctx context.Context, c *code) error {
	_, err := s.db.From(ctx).NewInsert().Model(c).Returning("id").Exec(ctx)
	return err
}

// Code returns a code, or nil.
func (s store) Code(ctx context.Context, id codeID) (*code, error) {
	var c code
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&c).Where("id = ?", id).Scan(ctx))
	if !found {
		return nil, err
	}
	return &c, nil
}

// CodeOf returns the code with which a flow continues, or "".
func (s store) CodeOf(ctx context.Context, flow string) (string, error) {
	var c code
	_, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&c).Where("flow = ?", flow).Scan(ctx))
	return c.Code, err
}

// CodesSince returns how many codes were mailed since a time to an address, or for a person at a provider.
func (s store) CodesSince(ctx context.Context, r realm.ID, email, subject string, since time.Time) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*code)(nil)).Where("realm_id = ?", r).
		Where("email = ? OR subject = ?", email, subject).Where("created_at > ?", since.Unix()).Count(ctx)
}

// ForgetCodes deletes the codes mailed before a time.
func (s store) ForgetCodes(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*code)(nil)).Where("created_at <= ?", before.Unix()).Exec(ctx)
	return err
}
