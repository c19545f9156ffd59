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
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// keysChanged logs a change of a user's API keys. It is not sent to clients.
var keysChanged = kit.Event[kit.None]("user", "keys").Internal()

const (
	keyLength = 32
	keyChars  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// newKey returns a new API key: 32 random letters and digits, with 190 bits of entropy.
func newKey() string {
	key := make([]byte, 0, keyLength)
	var random [2 * keyLength]byte
	for len(key) < keyLength {
		_, _ = rand.Read(random[:]) // never fails
		for _, b := range random {
			// Values beyond keyChars are discarded, so that the distribution is uniform.
			if i := int(b & 63); i < len(keyChars) &&
				len(key) < keyLength {
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

// hasKey reports whether u, which may be nil, has the key with hash h. It compares in constant time.
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

// Authenticate identifies the caller; see ports.Authenticator.
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
		return user.Actor{}, user.AccountDeactivated()
	}
	return user.Actor{Realm: r, User: u.ID, Role: u.Role, Bot: u.BotType, Key: h}, nil
}

// ByKey returns the user with a key; see ports.Authenticator.
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
		return user.Actor{}, user.LoginDeactivated()
	}
	return user.Actor{Realm: r, User: u.ID, Role: u.Role, Bot: u.BotType, Key: h}, nil
}

func domainOf(v *directory.View) string {
	if v.Realm() == nil {
		return ""
	}
	return v.Realm().MailDomain
}

// IssueKey creates an additional key; see ports.Accounts. If the user has too many, the oldest ones are revoked.
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

// newKey creates a key and revokes those of the old keys that drop returns.
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
			return "", errNoSuchUser()
		}
		if old, err = s.recordFirstLogin(ctx, v, by, old); err != nil {
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
		k := &keyRow{Hash: hashKey(key), RealmID: r, UserID: id, CreatedAt: s.Clock.Now(), Sealed: sealed,
			Client: session.Agent(by.Agent)}
		if err := s.store.AddKey(ctx, k); err != nil {
			return "", err
		}
		return key, s.Log.Append(ctx, keysChanged.To(r, event.None(), kit.None{}).Changing(directory.OfUser(old, &now)))
	})
}

// seal encrypts a bot's key, so that its owner can read it later. It returns "" for people, whose keys are stored only
// as hashes. If encryption fails, seal logs the error and returns "": the key can then be shown only once.
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
		s.Logger.Warn("a bot's key cannot be stored encrypted; its owner cannot read it later", "user", id, "error", err)
		return "", nil
	}
	return sealed, nil
}

// purpose returns the purpose for sealing a bot's key. It contains the bot's ID, so that a sealed key copied to another
// bot's row cannot be opened.
func purpose(bot user.ID) string { return "API key of user " + strconv.FormatInt(int64(bot), 10) }

// Keys returns the keys of bots; see ports.BotAccounts.
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

// RenewKey creates a new key for a user and revokes all others; see ports.BotAccounts.
func (s *service) RenewKey(ctx context.Context, by user.Actor, id user.ID) (string, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (string, error) {
		if err := s.Hooks.Run(ctx, &user.KeysRevoked{Realm: by.Realm, User: id}); err != nil {
			return "", err
		}
		return s.newKey(ctx, by, id, func(old []user.KeyHash) []user.KeyHash { return old })
	})
}

// dropKeys revokes all keys of a user. The caller must log the change.
func (s *service) dropKeys(ctx context.Context, by user.Actor, u *user.User) error {
	if err := s.Hooks.Run(ctx, &user.KeysRevoked{Realm: by.Realm, User: u.ID}); err != nil {
		return err
	}
	return s.store.RemoveKeys(ctx, u.ID, u.Keys)
}

type keyRes struct {
	Key string `json:"api_key"`
}

// regenerate handles POST /users/me/api_key/regenerate. It creates a new key for the caller and revokes all others.
// Errors: Unauthorized, also if the caller's key was revoked in the meantime.
func (s *service) regenerate(ctx context.Context, a kit.Actor, _ kit.None) (keyRes, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (keyRes, error) {
		if _, _, err := kit.Caller(ctx, s.Directory, a); err != nil {
			return keyRes{}, err
		}
		key, err := s.RenewKey(ctx, a, a.User)
		return keyRes{key}, err
	})
}
