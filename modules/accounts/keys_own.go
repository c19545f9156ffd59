package accounts

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// ownKey is an API key as shown to its owner. Times are Unix seconds.
type ownKey struct {
	ID      string `json:"key_id"`
	Client  string `json:"client"` // User-Agent
	Created int64  `json:"created_at"`
	Used    *int64 `json:"last_used_at" doc:"When it was last used, in Unix seconds, up to a few minutes out of date."`
	From    string `json:"address" doc:"The network address of the last use."`
	Current bool   `json:"current"` // the key of this request
}

type ownKeysRes struct {
	Keys []ownKey `json:"api_keys" doc:"The keys, oldest first."`
}

// ownKeys handles GET /stoa/api_keys.
func (s *service) ownKeys(ctx context.Context, a kit.Actor, _ kit.None) (ownKeysRes, error) {
	rows, err := s.store.KeysOf(ctx, a.User)
	out := ownKeysRes{Keys: []ownKey{}}
	for _, k := range rows {
		one := ownKey{
			ID: keyID(k.Hash), Client: k.Client, Created: k.CreatedAt.Unix(), From: k.UsedFrom, Current: k.Hash == a.Key,
		}
		if k.UsedAt > 0 {
			one.Used = &k.UsedAt
		}
		if now := s.Clock.Now().Unix(); one.Current {
			one.Used, one.From = &now, a.From
		}
		out.Keys = append(out.Keys, one)
	}
	return out, err
}

type revokeReq struct {
	ID string `json:"key_id"`
}

// revokeOwnKey handles DELETE /stoa/api_keys/{key_id}. Errors: BadRequest if the caller has no such key.
func (s *service) revokeOwnKey(ctx context.Context, a kit.Actor, in revokeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		_, me, err := kit.Caller(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(me.Keys, func(h user.KeyHash) bool { return keyID(h) == in.ID })
		if i < 0 {
			return errs.Bad("No such API key")
		}
		return s.dropSome(ctx, a, me, me.Keys[i:i+1])
	})
}

// RevokeKeys revokes all keys of a user; see ports.Credentials.
func (s *service) RevokeKeys(ctx context.Context, by user.Actor, id user.ID) error {
	_, u, err := s.activePerson(ctx, by, id)
	if err != nil || len(u.Keys) == 0 {
		return err
	}
	return s.dropSome(ctx, by, u, u.Keys)
}

// dropSome revokes keys of a user and logs it.
func (s *service) dropSome(ctx context.Context, by user.Actor, old *user.User, keys []user.KeyHash) error {
	var err error
	if len(keys) == len(old.Keys) {
		err = s.dropKeys(ctx, by, old)
	} else {
		err = s.store.RemoveKeys(ctx, old.ID, keys)
	}
	if err != nil {
		return err
	}
	now := *old
	now.Keys = slices.DeleteFunc(slices.Clone(old.Keys), func(h user.KeyHash) bool { return slices.Contains(keys, h) })
	return s.Log.Append(ctx,
		keysChanged.To(by.Realm, event.None(), kit.None{}).Changing(directory.OfUser(old, &now)))
}
