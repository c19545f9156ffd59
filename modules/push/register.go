package push

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
)

type registerRequest struct {
	Device       push.DeviceID `json:"device_id"`
	KeyID        *uint32       `json:"push_key_id"`
	Key          *string       `json:"push_key"`
	TokenKind    *string       `json:"token_kind" enum:"fcm,apns"`
	TokenID      *string       `json:"token_id"`
	BouncerKey   *string       `json:"bouncer_public_key"`
	Registration *string       `json:"encrypted_push_registration"`
}

func errUnconfigured() error {
	return errs.New(errs.PushNotConfigured, "Server is not configured to use push notification service.")
}

// register handles POST /mobile_push/register. It sets or rotates the key of a device, and queues a token to be
// forwarded to the push service. Errors: PushNotConfigured, BadRequest, RateLimit.
func (s *service) register(ctx context.Context, a kit.Actor, in registerRequest) (kit.None, error) {
	if !s.Service.Configured() {
		return kit.None{}, errUnconfigured()
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		d, err := s.ownDevice(ctx, a, in.Device)
		if err != nil {
			return err
		}
		if d.Web != nil {
			return errs.Bad("The device is registered for Web Push.")
		}
		r, err := push.Request{
			KeyID: in.KeyID, Key: in.Key, TokenKind: in.TokenKind, TokenID: in.TokenID,
			BouncerKey: in.BouncerKey, Registration: in.Registration,
		}.Check()
		if err != nil {
			return err
		}
		now := s.Clock.Now()
		c, err := d.Register(r, now)
		if err != nil || !c.Any() {
			return err
		}
		d.URL = a.URL
		if err := s.store.Update(ctx, d); err != nil {
			return err
		}
		if c.Pending {
			if err := s.limit.take(registrations, a.User, now); err != nil {
				return err
			}
			s.Work.AfterCommit(ctx, s.registrations.Added)
			err := s.store.Queue(ctx, &registrationRow{
				DeviceID: d.ID, RealmID: d.Realm, TokenID: r.Token.ID, BouncerKey: r.Token.BouncerKey, Sealed: r.Token.Sealed,
				DueAt: now, CreatedAt: now,
			})
			if err != nil {
				return err
			}
		}
		return s.Log.Append(ctx, deviceUpdated.To(a.Realm, event.To(a.User), fieldsOf(d, c)))
	})
}
