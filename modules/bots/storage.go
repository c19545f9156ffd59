package bots

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// maxStorageBody is the maximum size of a PUT /bot_storage request in bytes. A bot can store more with several
// requests.
const maxStorageBody = 4 << 20

type keysReq struct {
	Keys *[]string `json:"keys"`
}

type storageRes struct {
	Storage map[string]string `json:"storage"`
}

// getEntries handles GET /bot_storage. It returns the calling bot's entries with the given keys, or all entries.
// Errors: BadRequest if a key does not exist.
func (s *service) getEntries(ctx context.Context, a kit.Actor, in keysReq) (storageRes, error) {
	if _, _, err := kit.Caller(ctx, s.Directory, a); err != nil {
		return storageRes{}, err
	}
	if in.Keys == nil {
		all, err := s.store.Entries(ctx, a.User)
		return storageRes{all}, err
	}
	some, err := s.store.Named(ctx, a.User, *in.Keys)
	if err != nil {
		return storageRes{}, err
	}
	return storageRes{some}, checkFound(*in.Keys, some)
}

func checkFound(keys []string, found map[string]string) error {
	for _, k := range keys {
		if _, ok := found[k]; !ok {
			return errs.Bad("Key does not exist.")
		}
	}
	return nil
}

type writeReq struct {
	Storage map[string]string `json:"storage"`
}

// putEntries handles PUT /bot_storage. It stores entries of the calling bot, and overwrites those with the same keys.
// Errors: BadRequest if the storage would exceed its limit; nothing is stored then.
func (s *service) putEntries(ctx context.Context, a kit.Actor, in writeReq) (kit.None, error) {
	if err := bot.CheckEntries(in.Storage, s.cfg.MaxStorage); err != nil || len(in.Storage) == 0 {
		return kit.None{}, err
	}
	keys := slices.Collect(maps.Keys(in.Storage))
	// Read the view outside the unit of work, so that bots need not wait for concurrent changes of the realm.
	if _, _, err := kit.Caller(ctx, s.Directory, a); err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		chars, err := s.store.LockStorage(ctx, a.Realm, a.User)
		if err != nil {
			return err
		}
		old, err := s.store.Named(ctx, a.User, keys)
		if err != nil {
			return err
		}
		chars += bot.Chars(in.Storage) - bot.Chars(old)
		if err := bot.CheckStored(chars, s.cfg.MaxStorage); err != nil {
			return err
		}
		if err := s.store.Put(ctx, a.User, in.Storage); err != nil {
			return err
		}
		return s.store.SetSize(ctx, a.User, chars)
	})
}

// deleteEntries handles DELETE /bot_storage. It deletes the calling bot's entries with the given keys, or all entries.
// Errors: BadRequest if a key does not exist; nothing is deleted then.
func (s *service) deleteEntries(ctx context.Context, a kit.Actor, in keysReq) (kit.None, error) {
	// Read the view outside the unit of work, so that bots need not wait for concurrent changes of the realm.
	if _, _, err := kit.Caller(ctx, s.Directory, a); err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		chars, err := s.store.LockStorage(ctx, a.Realm, a.User)
		if err != nil {
			return err
		}
		if in.Keys == nil {
			if err := s.store.RemoveAll(ctx, a.User); err != nil {
				return err
			}
			return s.store.SetSize(ctx, a.User, 0)
		}
		old, err := s.store.Named(ctx, a.User, *in.Keys)
		if err != nil {
			return err
		}
		if err := checkFound(*in.Keys, old); err != nil || len(old) == 0 {
			return err
		}
		if err := s.store.Remove(ctx, a.User, *in.Keys); err != nil {
			return err
		}
		return s.store.SetSize(ctx, a.User, chars-bot.Chars(old))
	})
}
