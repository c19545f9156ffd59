package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strconv"

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
			if i := int(b & 63); i < len(keyChars) &&
				len(key) < keyLength { // the rest is drawn again, or some would be likelier
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

// hasKey tells whether a key is one of u's, who may be nil, in a time that does not depend on how much of it is right.
func hasKey(u *user.User, h user.KeyHash) bool {
	keys := []user.KeyHash{hashKey("")}
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
	h := hashKey(key)
	switch {
	case !hasKey(u, h):
		return user.Actor{}, errs.New(errs.Unauthorized, "Invalid API key")
	case v.Realm() == nil || v.Realm().Deactivated:
		return user.Actor{}, errs.New(errs.Unauthorized, "This organization has been deactivated")
	case !u.Active:
		return user.Actor{}, errs.New(errs.Unauthorized, "Account is deactivated")
	}
	return user.Actor{Realm: r, User: u.ID, Role: u.Role, Bot: u.BotType, Key: h}, nil
}

// ByKey finds the user with a key; see ports.Authenticator.
func (s *service) ByKey(ctx context.Context, r realm.ID, key string) (user.Actor, error) {
	h := hashKey(key)
	id, err := s.store.KeyHolder(ctx, r, h)
	if err != nil {
		return user.Actor{}, err
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return user.Actor{}, err
	}
	u := v.User(id)
	switch {
	case !hasKey(u, h):
		return user.Actor{}, errs.New(errs.InvalidAPIKey, "Invalid API key")
	case !u.Active:
		return user.Actor{}, errs.New(errs.UserDeactivated, "Account is deactivated")
	}
	return user.Actor{Realm: r, User: u.ID, Role: u.Role, Bot: u.BotType, Key: h}, nil
}

func domainOf(v *directory.View) string {
	if v.Realm() == nil {
		return ""
	}
	return v.Realm().MailDomain
}

// IssueKey makes a further key; see ports.Accounts. When somebody has too many, the oldest cease to work.
func (s *service) IssueKey(ctx context.Context, by user.Actor, id user.ID) (string, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (string, error) {
		key, err := s.newKey(ctx, by, id, func(old []user.KeyHash) []user.KeyHash {
			return old[:max(0, len(old)-s.cfg.MaxKeys+1)]
		})
		if err != nil {
			return "", err
		}
		return key, s.Hooks.Run(ctx, &user.KeyIssued{Realm: by.Realm, By: by, User: id})
	})
}

// newKey makes a key and ends those that drop picks of the old ones.
func (s *service) newKey(
	ctx context.Context,
	by user.Actor,
	id user.ID,
	drop func(old []user.KeyHash) []user.KeyHash,
) (string, error) {
	key, r := newKey(), by.Realm
	sealed, err := s.seal(ctx, r, id, key)
	if err != nil {
		return "", err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (string, error) {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return "", err
		}
		old := v.User(id)
		if old == nil || old.System || !old.Active {
			return "", noSuchUser()
		}
		if old, err = s.arrive(ctx, v, by, old); err != nil {
			return "", err
		}
		gone, now := drop(old.Keys), *old
		now.Keys = append(
			slices.DeleteFunc(slices.Clone(old.Keys), func(h user.KeyHash) bool { return slices.Contains(gone, h) }),
			hashKey(key),
		)
		if err := s.store.RemoveKeys(ctx, id, gone); err != nil {
			return "", err
		}
		k := &keyRow{Hash: hashKey(key), RealmID: r, UserID: id, CreatedAt: s.Clock.Now(), Sealed: sealed}
		if err := s.store.AddKey(ctx, k); err != nil {
			return "", err
		}
		return key, s.Log.Append(ctx, keysChanged.To(r, event.None(), kit.None{}).Changing(directory.OfUser(old, &now)))
	})
}

// seal encrypts a bot's key, which its owner may read later. A key of a person is only ever recognized. A server that
// can't encrypt makes the key all the same: it is shown now, and not again.
func (s *service) seal(ctx context.Context, r realm.ID, id user.ID, key string) (string, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return "", err
	}
	if u := v.User(id); u == nil || !u.IsBot() {
		return "", nil
	}
	sealed, err := s.Sealer.Seal(purpose(id), key)
	if err != nil {
		s.Logger.Warn("the key of a bot can't be kept for its owner to read", "user", id, "error", err)
		return "", nil
	}
	return sealed, nil
}

// purpose binds what is sealed to the bot: in the row of another it can't be read.
func purpose(bot user.ID) string { return "API key of user " + strconv.FormatInt(int64(bot), 10) }

// Keys gives keys of bots; see ports.BotAccounts.
func (s *service) Keys(ctx context.Context, r realm.ID, bots ...user.ID) (map[user.ID]string, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	var hashes []user.KeyHash
	newest := map[user.ID]user.KeyHash{}
	for _, id := range bots {
		if u := v.User(id); u != nil && u.IsBot() && len(u.Keys) > 0 {
			newest[id] = u.Keys[len(u.Keys)-1]
			hashes = append(hashes, newest[id])
		}
	}
	sealed, err := s.store.Sealed(ctx, hashes)
	if err != nil {
		return nil, err
	}
	out := make(map[user.ID]string, len(newest))
	for id, h := range newest {
		if sealed[h] == "" {
			continue
		}
		key, err := s.Sealer.Open(purpose(id), sealed[h])
		switch {
		case err == nil && hashKey(key) == h:
			out[id] = key
		case err != nil && !errs.Is(err, errs.NotFound):
			return nil, err
		}
	}
	return out, nil
}

// RenewKey gives a user a new key and ends all others; see ports.BotAccounts.
func (s *service) RenewKey(ctx context.Context, by user.Actor, id user.ID) (string, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (string, error) {
		if err := s.Hooks.Run(ctx, &user.KeysRevoked{Realm: by.Realm, User: id}); err != nil {
			return "", err
		}
		return s.newKey(ctx, by, id, func(old []user.KeyHash) []user.KeyHash { return old })
	})
}

// dropKeys ends all keys of a user; the caller logs the change.
func (s *service) dropKeys(ctx context.Context, by user.Actor, u *user.User) error {
	if err := s.Hooks.Run(ctx, &user.KeysRevoked{Realm: by.Realm, User: u.ID}); err != nil {
		return err
	}
	return s.store.RemoveKeys(ctx, u.ID, u.Keys)
}

type keyRes struct {
	Key string `json:"api_key"`
}

// regenerate gives the caller a new key and ends all others. A key that has been ended meanwhile makes none. Errors:
// Unauthorized.
func (s *service) regenerate(ctx context.Context, a kit.Actor, _ kit.None) (keyRes, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (keyRes, error) {
		if _, _, err := s.caller(ctx, a); err != nil {
			return keyRes{}, err
		}
		key, err := s.RenewKey(ctx, a, a.User)
		return keyRes{key}, err
	})
}
