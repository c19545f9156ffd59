package pushrelay

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

type realmRow struct {
	bun.BaseModel `bun:"table:push_relay_realms,alias:r"`
	ID            int64 `bun:",pk,autoincrement"`
	ServerID      string
	UUID          string
	CreatedAt     time.Time
}

// Remote returns the ID of the row for an organization of a server, or 0 if the organization is unknown.
func (s store) Remote(ctx context.Context, server, uuid string) (int64, error) {
	var id int64
	err := s.db.From(ctx).NewSelect().Model((*realmRow)(nil)).Column("id").
		Where("server_id = ?", server).Where("uuid = ?", uuid).Scan(ctx, &id)
	return id, bunstore.IgnoreNoRows(err)
}

// CountRemotes returns the number of organizations of a server.
func (s store) CountRemotes(ctx context.Context, server string) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*realmRow)(nil)).Where("server_id = ?", server).Count(ctx)
}

// AddRemote stores an organization and returns the ID of its row. If the row exists, AddRemote returns its ID.
func (s store) AddRemote(ctx context.Context, server, uuid string, now time.Time) (int64, error) {
	row := &realmRow{ServerID: server, UUID: uuid, CreatedAt: now}
	_, err := s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (server_id, uuid) DO UPDATE").Set("uuid = EXCLUDED.uuid").
		Returning("id").Exec(ctx)
	return row.ID, err
}

type tokenRow struct {
	bun.BaseModel `bun:"table:push_relay_tokens,alias:t"`
	ID            int64 `bun:",pk,autoincrement"`
	RemoteID      int64
	TokenID       string
	Kind          push.TokenKind
	AppID         string
	Token         string
	RegisteredAt  time.Time
	UsedAt        time.Time
}

// token is a registered device.
type token struct {
	ID   int64
	Used time.Time
	relay.Target
}

func tokenPurpose(remote int64, tokenID string) string {
	return fmt.Sprintf("push token %s of %d", tokenID, remote)
}

// PutToken stores a token. It replaces an earlier registration with the same ID.
func (s store) PutToken(ctx context.Context, remote int64, id string, t relay.Target, now time.Time) error {
	sealed, err := s.sealer.Seal(tokenPurpose(remote, id), t.Token)
	if err != nil {
		return err
	}
	row := &tokenRow{
		RemoteID: remote, TokenID: id, Kind: t.Kind, AppID: t.AppID, Token: sealed, RegisteredAt: now, UsedAt: now,
	}
	_, err = s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (remote_id, token_id) DO UPDATE").
		Set("kind = EXCLUDED.kind").Set("app_id = EXCLUDED.app_id").Set("token = EXCLUDED.token").
		Set("registered_at = EXCLUDED.registered_at").Set("used_at = EXCLUDED.used_at").Exec(ctx)
	return err
}

// Tokens returns the tokens of an organization with the given IDs. Missing tokens are omitted.
func (s store) Tokens(ctx context.Context, remote int64, ids []string) ([]tokenRow, error) {
	var rows []tokenRow
	err := s.db.From(ctx).NewSelect().Model(&rows).
		Where("remote_id = ?", remote).Where("token_id IN (?)", bun.List(ids)).Scan(ctx)
	return rows, err
}

// open decrypts a token. Errors: NotFound if it was sealed with another secret.
func (s store) open(r *tokenRow) (*token, error) {
	text, err := s.sealer.Open(tokenPurpose(r.RemoteID, r.TokenID), r.Token)
	return &token{r.ID, r.UsedAt, relay.Target{Kind: r.Kind, Token: text, AppID: r.AppID}}, err
}

// ForgetTokens deletes tokens, except those that have been registered again since the given time.
func (s store) ForgetTokens(ctx context.Context, ids []int64, since time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewDelete().Model((*tokenRow)(nil)).
		Where("id IN (?)", bun.List(ids)).Where("registered_at <= ?", since).Exec(ctx)
	return err
}

// UseTokens records that tokens have been used.
func (s store) UseTokens(ctx context.Context, ids []int64, now time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewUpdate().Model((*tokenRow)(nil)).
		Set("used_at = ?", now).Where("id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// block is the maximum number of tokens deleted by one statement.
const block = 1000

// ForgetUnused deletes a block of tokens last used before the given time, and returns their number.
func (s store) ForgetUnused(ctx context.Context, before time.Time) (int64, error) {
	some := s.db.From(ctx).NewSelect().Model((*tokenRow)(nil)).Column("id").Where("used_at < ?", before).Limit(block)
	return bunstore.Affected(s.db.From(ctx).NewDelete().Model((*tokenRow)(nil)).Where("id IN (?)", some).Exec(ctx))
}

// ForgetTokensOf deletes a block of a server's tokens, and returns their number.
func (s store) ForgetTokensOf(ctx context.Context, server string) (int64, error) {
	some := s.db.From(ctx).NewSelect().Model((*tokenRow)(nil)).Column("t.id").
		Join("JOIN push_relay_realms AS r ON r.id = t.remote_id").Where("r.server_id = ?", server).Limit(block)
	return bunstore.Affected(s.db.From(ctx).NewDelete().Model((*tokenRow)(nil)).Where("id IN (?)", some).Exec(ctx))
}
