package pushrelay

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"golang.org/x/crypto/nacl/box"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/modules/kit"
)

// CreateKey implements ports.PushRelay.
func (s *service) CreateKey(ctx context.Context) (relay.Key, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (relay.Key, error) {
		has, err := s.store.HasKey(ctx)
		if err != nil {
			return relay.Key{}, err
		}
		if has {
			return relay.Key{}, errs.Bad("There is already a key; replace it with stoa push keys rotate.")
		}
		return s.newKey(ctx)
	})
}

// RotateKey implements ports.PushRelay.
func (s *service) RotateKey(ctx context.Context) (relay.Key, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (relay.Key, error) {
		n, err := s.store.RetireKeys(ctx, s.Clock.Now())
		if err != nil {
			return relay.Key{}, err
		}
		if n == 0 {
			return relay.Key{}, errs.Bad("There is no key yet; create one with stoa push keys create.")
		}
		return s.newKey(ctx)
	})
}

func (s *service) newKey(ctx context.Context) (relay.Key, error) {
	public, private, err := box.GenerateKey(rand.Reader)
	if err != nil {
		return relay.Key{}, err
	}
	k := relay.Key{Public: base64.StdEncoding.EncodeToString(public[:]), Created: s.Clock.Now()}
	return k, s.store.AddKey(ctx, k, private)
}

// Keys implements ports.PushRelay.
func (s *service) Keys(ctx context.Context) ([]relay.Key, error) { return s.store.Keys(ctx) }

// checkKey is a health check. It fails if there is no key, because devices then cannot register.
func (s *service) checkKey(ctx context.Context) error {
	has, err := s.store.HasKey(ctx)
	if err == nil && !has {
		err = errors.New("the push relay has no key; create one with stoa push keys create")
	}
	return err
}

// AddServer implements ports.PushRelay.
func (s *service) AddServer(ctx context.Context, v relay.Server) (relay.Credentials, error) {
	if err := relay.CheckName(v.Name); err != nil {
		return relay.Credentials{}, err
	}
	if v.Registrations < 0 || v.Notifications < 0 {
		return relay.Credentials{}, errs.Bad("A quota cannot be negative.")
	}
	c := relay.Credentials{ID: uuid.NewString(), Key: rand.Text() + rand.Text()}
	return c, s.Work.Do(ctx, func(ctx context.Context) error {
		v.ID, v.Created = c.ID, s.Clock.Now()
		added, err := s.store.AddServer(ctx, v, relay.HashKey(c.Key))
		if err == nil && !added {
			err = errs.Bad("A server named %q already uses the relay.", v.Name)
		}
		return err
	})
}

// Servers implements ports.PushRelay.
func (s *service) Servers(ctx context.Context) ([]relay.Server, error) { return s.store.Servers(ctx) }

// RemoveServer implements ports.PushRelay.
func (s *service) RemoveServer(ctx context.Context, name string) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		removed, err := s.store.RemoveServer(ctx, name, s.Clock.Now())
		if err == nil && !removed {
			err = errs.Bad("No server named %q uses the relay.", name)
		}
		return err
	})
}

// isID reports whether text has the format of a server's ID.
func isID(text string) bool {
	_, err := uuid.Parse(text)
	return err == nil && len(text) == 36
}

// undecryptable returns an error with the text of cause but does not wrap it, so that the client gets an internal error
// instead of the code of cause.
func undecryptable(what string, cause error) error {
	return fmt.Errorf("the push relay cannot decrypt %s; has the server's secret changed? %s", what, cause.Error())
}
