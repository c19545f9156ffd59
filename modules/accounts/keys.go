package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// keysChanged is the entry of a change of somebody's API keys; no client hears of it.
var keysChanged = kit.Event[kit.None]("user", "keys")

const (
	keyLength = 32
	keyChars  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// newKey makes an API key: 32 letters and digits, from 190 random bits.
func newKey() string {
	key := make([]byte, 0, keyLength)
	var random [2 * keyLength]byte
	for len(key) < keyLength {
		_, _ = rand.Read(random[:]) // never fails
		for _, b := range random {
			if i := int(b & 63); i < len(keyChars) && len(key) < keyLength { // the rest is drawn again, or some would be likelier
				key = append(key, keyChars[i])
			}
		}
	}
	return string(key)
}

func hashKey(key string) user.KeyHash {
	sum := sha256.Sum256([]byte(key))
	return user.KeyHash(hex.EncodeToString(sum[:]))
}

// hasKey tells whether key is one of u's, who may be nil, in a time that does not depend on how much of it is right.
func hasKey(u *user.User, key string) bool {
	h, keys := hashKey(key), []user.KeyHash{hashKey("")}
	if u != nil {
		keys = append(keys, u.Keys...)
	}
	found := 0
	for _, k := range keys[1:] {
		found |= subtle.ConstantTimeCompare([]byte(h), []byte(k))
	}
	return found == 1
}

// Authenticate tells who is calling; see ports.Authenticator.
func (s *service) Authenticate(ctx context.Context, r realm.ID, email, key string) (user.Actor, error) {
	v, err := s.Directory.View(ctx, r)
	if errs.Is(err, errs.NotFound) {
		return user.Actor{}, errs.New(errs.Unauthorized, "Invalid API key").Because(err)
	}
	if err != nil {
		return user.Actor{}, err
	}
	u := v.UserByEmail(email)
	if id, made := user.FromAPIEmail(email, domainOf(v)); u == nil && made {
		u = v.User(id)
	}
	switch {
	case !hasKey(u, key):
		return user.Actor{}, errs.New(errs.Unauthorized, "Invalid API key")
	case v.Realm() == nil || v.Realm().Deactivated:
		return user.Actor{}, errs.New(errs.Unauthorized, "This organization has been deactivated")
	case !u.Active:
		return user.Actor{}, errs.New(errs.Unauthorized, "Account is deactivated")
	}
	return user.Actor{Realm: r, User: u.ID, Role: u.Role, Bot: u.BotType}, nil
}

func domainOf(v *directory.View) string {
	if v.Realm() == nil {
		return ""
	}
	return v.Realm().MailDomain
}

// IssueKey makes a further key; see ports.Accounts. When somebody has too many, the oldest cease to work.
func (s *service) IssueKey(ctx context.Context, by user.Actor, id user.ID) (string, error) {
	return s.newKey(ctx, by.Realm, id, func(old []user.KeyHash) []user.KeyHash {
		return old[:max(0, len(old)-s.cfg.MaxKeys+1)]
	})
}

// newKey makes a key and ends those that drop picks of the old ones.
func (s *service) newKey(ctx context.Context, r realm.ID, id user.ID, drop func(old []user.KeyHash) []user.KeyHash) (string, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (string, error) {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return "", err
		}
		old := v.User(id)
		if old == nil || old.System || !old.Active {
			return "", noSuchUser()
		}
		gone, key, now := drop(old.Keys), newKey(), *old
		now.Keys = append(slices.DeleteFunc(slices.Clone(old.Keys), func(h user.KeyHash) bool { return slices.Contains(gone, h) }), hashKey(key))
		if err := s.store.RemoveKeys(ctx, id, gone); err != nil {
			return "", err
		}
		if err := s.store.AddKey(ctx, r, id, hashKey(key), s.Clock.Now()); err != nil {
			return "", err
		}
		return key, s.Log.Append(ctx, keysChanged.To(r, event.None(), kit.None{}).Changing(directory.OfUser(old, &now)))
	})
}

type keyRes struct {
	Key string `json:"api_key"`
}

// regenerate gives the caller a new key and ends all others.
func (s *service) regenerate(ctx context.Context, a kit.Actor, _ kit.None) (keyRes, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (keyRes, error) {
		if err := s.Hooks.Run(ctx, &user.KeysRevoked{Realm: a.Realm, User: a.User}); err != nil {
			return keyRes{}, err
		}
		key, err := s.newKey(ctx, a.Realm, a.User, func(old []user.KeyHash) []user.KeyHash { return old })
		return keyRes{key}, err
	})
}
