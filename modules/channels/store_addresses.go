package channels

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type addressRow struct {
	bun.BaseModel `bun:"table:channel_addresses,alias:a"`
	ChannelID     channel.ID `bun:",pk"`
	CreatorID     user.ID    `bun:",pk" person:"row"`
	SenderID      user.ID    `bun:",pk" person:"row"`
	RealmID       realm.ID
	Token         string
}

// Token returns the secret in a user's address for a channel and sender. If there is no such address, it creates one
// with the secret fresh.
func (s store) Token(
	ctx context.Context,
	r realm.ID,
	c channel.ID,
	creator, sender user.ID,
	fresh string,
) (string, error) {
	row := &addressRow{ChannelID: c, CreatorID: creator, SenderID: sender, RealmID: r, Token: fresh}
	if _, err := s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (channel_id, creator_id, sender_id) DO NOTHING").
		Exec(ctx); err != nil {
		return "", err
	}
	err := s.db.From(ctx).NewSelect().Model(row).WherePK().Where("realm_id = ?", r).Scan(ctx)
	return row.Token, err
}

// ByToken returns the address with a token, or nil.
func (s store) ByToken(ctx context.Context, token string) (*addressRow, error) {
	var row addressRow
	return bunstore.OrNil(&row, s.db.From(ctx).NewSelect().Model(&row).Where("token = ?", token).Scan(ctx))
}

// EndAddresses deletes all addresses of a channel.
func (s store) EndAddresses(ctx context.Context, r realm.ID, c channel.ID) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*addressRow)(nil)).
		Where("channel_id = ?", c).
		Where("realm_id = ?", r).
		Exec(ctx)
	return err
}
