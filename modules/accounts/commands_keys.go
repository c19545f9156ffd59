package accounts

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// listedKey is an API key in the output of key list.
type listedKey struct {
	ID      string    `json:"key_id"`
	UserID  user.ID   `json:"user_id"`
	Email   string    `json:"email"`
	Created time.Time `json:"created"`
}

// keyID returns the name of a key for operators: the beginning of its hash.
func keyID(h user.KeyHash) string { return string(h[:min(len(h), 12)]) }

func (s *service) listKeys(ctx context.Context, a kit.Actor, in kit.Among) ([]listedKey, error) {
	v, of, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return nil, err
	}
	rows, err := s.store.KeyRows(ctx, a.Realm)
	out := []listedKey{}
	for _, k := range rows {
		if of != nil && k.UserID != of.ID {
			continue
		}
		one := listedKey{ID: keyID(k.Hash), UserID: k.UserID, Created: k.CreatedAt.UTC()}
		if u := v.User(k.UserID); u != nil {
			one.Email = u.DeliveryEmail
		}
		out = append(out, one)
	}
	return out, err
}

type revokeFlags struct {
	ID    string `arg:"" optional:"" help:"ID of the key: see stoa key list."`
	Email string `placeholder:"ADDRESS" help:"Revoke all keys of this user."`
}

// Validate checks that keys are selected in exactly one way.
func (f revokeFlags) Validate() error {
	if (f.ID == "") == (f.Email == "") {
		return errs.New(errs.Missing, "select keys by an ID or with --email")
	}
	return nil
}

// selectedKeys returns a user and those of their keys that are selected. Errors: one with Gone.
func (s *service) selectedKeys(v *directory.View, f revokeFlags) (*user.User, []user.KeyHash, error) {
	if f.Email != "" {
		u := v.UserByEmail(f.Email)
		if u == nil {
			return nil, nil, errs.Absent("--email: no user has the address %q; see stoa user list", f.Email)
		}
		return u, u.Keys, nil
	}
	for u := range v.Users() {
		for _, h := range u.Keys {
			if keyID(h) == f.ID {
				return u, []user.KeyHash{h}, nil
			}
		}
	}
	return nil, nil, errs.Absent("there is no API key %q; see stoa key list", f.ID)
}

func (s *service) wouldRevoke(ctx context.Context, a kit.Actor, in revokeFlags) (kit.Effect, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return kit.Effect{}, err
	}
	u, keys, err := s.selectedKeys(v, in)
	if err != nil {
		return kit.Effect{}, err
	}
	return kit.Effect{
		Text:   fmt.Sprintf("revoke %d API keys of user %d %s", len(keys), u.ID, u.DeliveryEmail),
		Counts: map[string]int{"api_keys": len(keys)},
	}, nil
}

// revokedKeys is the output of key revoke.
type revokedKeys struct {
	ID    user.ID `json:"user_id"`
	Email string  `json:"email"`
	Keys  int     `json:"api_keys"`
}

func (r revokedKeys) String() string {
	return fmt.Sprintf("revoked %d API keys of user %d %s", r.Keys, r.ID, r.Email)
}

func (s *service) revokeKeys(ctx context.Context, a kit.Actor, in revokeFlags) (revokedKeys, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (revokedKeys, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return revokedKeys{}, err
		}
		old, keys, err := s.selectedKeys(v, in)
		if err != nil {
			return revokedKeys{}, err
		}
		out := revokedKeys{old.ID, old.DeliveryEmail, len(keys)}
		if len(keys) == 0 {
			return out, nil
		}
		return out, s.dropSome(ctx, a, old, keys)
	})
}
