package bots

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type botReq struct {
	Bot user.ID `json:"bot_id"`
}

type listed struct {
	Username string  `json:"username"`
	FullName string  `json:"full_name"`
	Key      string  `json:"api_key"` // "" if it cannot be read
	Avatar   *string `json:"avatar_url"`
	defaults
}

type listRes struct {
	Bots []listed `json:"bots"`
}

// list handles GET /bots. It returns the caller's active bots.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	res := listRes{Bots: []listed{}}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return res, err
	}
	var ids []user.ID
	for u := range v.Users() {
		if u.IsBot() && u.Active && !u.System && u.BotOwner == me.ID {
			ids = append(ids, u.ID)
			res.Bots = append(res.Bots, listed{
				Username: permission.APIEmail(v, u),
				FullName: u.FullName,
				Avatar:   permission.AvatarURL(v, u, false),
				defaults: defaultsOf(v, me, u.ID),
			})
		}
	}
	keys, err := s.BotAccounts.Keys(ctx, a.Realm, ids...)
	for i, id := range ids {
		res.Bots[i].Key = keys[id]
	}
	return res, err
}

// deactivate handles DELETE /bots/{bot_id}. The bot's key and event queues stop working immediately. Its storage is
// kept in case it is reactivated. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) deactivate(ctx context.Context, a kit.Actor, in botReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, _, _, err := s.managedBot(ctx, a, in.Bot); err != nil {
			return err
		}
		return s.Accounts.Deactivate(ctx, a, in.Bot)
	})
}

type keyRes struct {
	Key string `json:"api_key"`
}

// key handles GET /bots/{bot_id}/api_key. Errors: BadRequest, also if the key cannot be decrypted;
// UnauthorizedPrincipal.
func (s *service) key(ctx context.Context, a kit.Actor, in botReq) (keyRes, error) {
	_, _, b, err := s.managedBot(ctx, a, in.Bot)
	if err != nil {
		return keyRes{}, err
	}
	if !b.Active {
		return keyRes{}, notActive()
	}
	keys, err := s.BotAccounts.Keys(ctx, a.Realm, b.ID)
	if err != nil {
		return keyRes{}, err
	}
	if keys[b.ID] == "" {
		return keyRes{}, errs.Bad("The API key of this bot can't be shown. You can create a new one.")
	}
	return keyRes{keys[b.ID]}, nil
}

// regenerate handles POST /bots/{bot_id}/api_key/regenerate. It creates a new API key for an active bot and revokes all
// others. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) regenerate(ctx context.Context, a kit.Actor, in botReq) (keyRes, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (keyRes, error) {
		_, _, b, err := s.managedBot(ctx, a, in.Bot)
		if err != nil {
			return keyRes{}, err
		}
		if !b.Active {
			return keyRes{}, notActive()
		}
		key, err := s.BotAccounts.RenewKey(ctx, a, b.ID)
		return keyRes{key}, err
	})
}

func notActive() error { return errs.Bad("The bot is deactivated.") }
