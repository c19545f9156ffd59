package push

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type tokenRow struct {
	bun.BaseModel `bun:"table:push_tokens,alias:t"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Kind          push.TokenKind
	Token         string
	TokenID       string
	AppID         string
}

// AddToken stores a token of a user. If it already exists, AddToken only updates the app ID.
func (s store) AddToken(ctx context.Context, r realm.ID, u user.ID, t push.LegacyToken) error {
	row := &tokenRow{RealmID: r, UserID: u, Kind: t.Kind, Token: t.Token, TokenID: push.TokenID(t.Token), AppID: t.AppID}
	_, err := s.db.From(ctx).
		NewInsert().
		Model(row).
		On("CONFLICT (user_id, kind, token) DO UPDATE").
		Set("app_id = EXCLUDED.app_id").
		Exec(ctx)
	return err
}

// CountTokens returns the number of a user's tokens.
func (s store) CountTokens(ctx context.Context, u user.ID) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*tokenRow)(nil)).Where("user_id = ?", u).Count(ctx)
}

// HasToken reports whether a user has a token of any kind.
func (s store) HasToken(ctx context.Context, u user.ID, token string) (bool, error) {
	return s.db.From(ctx).NewSelect().Model((*tokenRow)(nil)).Where("user_id = ?", u).Where("token = ?", token).Exists(ctx)
}

// RemoveToken deletes a token of a user, and reports whether it existed.
func (s store) RemoveToken(ctx context.Context, u user.ID, kind push.TokenKind, token string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*tokenRow)(nil)).
		Where("user_id = ?", u).Where("kind = ?", kind).Where("token = ?", token).Exec(ctx))
}

// RemoveByID deletes the tokens of a user whose push.TokenID is id.
func (s store) RemoveByID(ctx context.Context, u user.ID, id string) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*tokenRow)(nil)).
		Where("user_id = ?", u).
		Where("token_id = ?", id).
		Exec(ctx)
	return err
}

// ClearTokens deletes all tokens of a user.
func (s store) ClearTokens(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*tokenRow)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}
