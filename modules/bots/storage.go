package bots

import (
	"context"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// maxStorageBody is how many bytes of body PUT /bot_storage reads. As much as a bot may store need not fit in one
// request.
const maxStorageBody = 4 << 20

type keysReq struct {
	Keys *[]string `json:"keys"`
}

type storageRes struct {
	Storage map[string]string `json:"storage"`
}

// read gives what the calling bot has stored, under these keys or all. Errors: BadRequest for a key that is not there.
func (s *service) read(ctx context.Context, a kit.Actor, in keysReq) (storageRes, error) {
	if _, _, err := s.caller(ctx, a); err != nil {
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
	return storageRes{some}, present(*in.Keys, some)
}

func present(keys []string, found map[string]string) error {
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

// write stores texts for the calling bot, over those with the same keys. Errors: BadRequest if it would be too much,
// and nothing is stored then.
func (s *service) write(ctx context.Context, a kit.Actor, in writeReq) (kit.None, error) {
	if err := bot.CheckEntries(in.Storage, s.cfg.MaxStorage); err != nil || len(in.Storage) == 0 {
		return kit.None{}, err
	}
	keys := make([]string, 0, len(in.Storage))
	for k := range in.Storage {
		keys = append(keys, k)
	}
	// not within: bots that store something need not wait for changes of the realm
	if _, _, err := s.caller(ctx, a); err != nil {
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

// forget removes what the calling bot has stored, under these keys or all. Errors: BadRequest for a key that is not
// there; nothing is removed then.
func (s *service) forget(ctx context.Context, a kit.Actor, in keysReq) (kit.None, error) {
	// not within: bots that store something need not wait for changes of the realm
	if _, _, err := s.caller(ctx, a); err != nil {
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
		if err := present(*in.Keys, old); err != nil || len(old) == 0 {
			return err
		}
		if err := s.store.Remove(ctx, a.User, *in.Keys); err != nil {
			return err
		}
		return s.store.SetSize(ctx, a.User, chars-bot.Chars(old))
	})
}
