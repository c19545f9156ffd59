package pushrelay

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/crypto/nacl/box"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/relay"
)

// register handles POST push/e2ee/register. It decrypts a device's registration and stores the token. It is idempotent.
// Errors: InvalidBouncerKey, RequestExpired, BadRequest, MissingRemoteRealm, RateLimit.
func (s *service) register(ctx context.Context, by *relay.Server, r *http.Request) (map[string]any, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errs.Bad("The body is not a form.")
	}
	in, err := relay.ReadSealed(form.Get("realm_uuid"), form.Get("token_id"), form.Get("bouncer_public_key"),
		form.Get("encrypted_push_registration"))
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	quota := relay.Quota{Size: orDefault(by.Registrations, s.cfg.Registrations), Per: 24 * time.Hour}
	if err := s.limits.take(by.ID, registrations, quota, 1, now); err != nil {
		return nil, err
	}
	target, err := s.open(ctx, in, now)
	if err != nil {
		return nil, err
	}
	if err := s.Delivery.Admit(target); err != nil {
		return nil, err
	}
	return nil, s.Work.Do(ctx, func(ctx context.Context) error {
		remote, err := s.remote(ctx, by.ID, in.Realm, now)
		if err != nil {
			return err
		}
		return s.store.PutToken(ctx, remote, in.TokenID, target, now)
	})
}

// open decrypts a registration with the matching private key.
func (s *service) open(ctx context.Context, in relay.Sealed, now time.Time) (relay.Target, error) {
	key, private, err := s.store.PrivateKey(ctx, in.PublicKey)
	if err != nil {
		return relay.Target{}, err
	}
	if key == nil || !key.Opens(now, s.cfg.OldKeys) {
		return relay.Target{}, relay.ErrUnknownKey()
	}
	plain, ok := box.OpenAnonymous(nil, in.Box, &in.PublicKey, private)
	if !ok {
		return relay.Target{}, relay.ErrSealed()
	}
	return in.Open(plain, now)
}

// remote returns the ID of an organization's row. It adds a missing row. Errors: MissingRemoteRealm if the
// server has too many organizations; Unauthorized if it was removed in the meantime.
func (s *service) remote(ctx context.Context, server, uuid string, now time.Time) (int64, error) {
	by, _, err := s.store.Server(ctx, server)
	if err != nil {
		return 0, err
	}
	if by == nil || !by.Removed.IsZero() {
		return 0, errs.New(errs.Unauthorized, "The server was removed.")
	}
	id, err := s.store.Remote(ctx, server, uuid)
	if err != nil || id != 0 {
		return id, err
	}
	n, err := s.store.CountRemotes(ctx, server)
	if err != nil {
		return 0, err
	}
	if n >= int64(s.cfg.MaxRealms) {
		return 0, errs.New(errs.MissingRemoteRealm,
			"This server has reached the number of organizations that this push service accepts.")
	}
	return s.store.AddRemote(ctx, server, uuid, now)
}

func orDefault(value, fallback int) int {
	if value != 0 {
		return value
	}
	return fallback
}
