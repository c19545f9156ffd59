package push

import (
	"context"
	"crypto/ecdsa"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
)

type webRequest struct {
	Subscription push.Subscription `json:"subscription"`
	Withdraws    bool              `json:"can_withdraw" default:"false"`
}

// registerWeb handles POST /web_push/register. It registers the subscription of a browser or UnifiedPush distributor
// and returns its device. If the caller has already registered the subscription, it returns the existing device. If
// another user has registered it, that user's device is deleted, because the caller is using the browser now. Errors:
// PushNotConfigured, BadRequest.
func (s *service) registerWeb(ctx context.Context, a kit.Actor, in webRequest) (added, error) {
	if !s.Web.Configured() {
		return added{}, errUnconfigured()
	}
	if err := s.Web.Admit(in.Subscription); err != nil {
		return added{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (added, error) {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return added{}, err
		}
		id := push.WebTokenID(&in.Subscription)
		same, err := s.store.OfSubscription(ctx, a.Realm, id)
		if err != nil {
			return added{}, err
		}
		d := &push.Device{}
		for _, one := range same {
			switch address := one.Web.Subscription.Endpoint.String(); {
			case one.User == a.User && address == in.Subscription.Endpoint.String():
				d = one
			case one.Web.Subscription.Equal(&in.Subscription): // the keys are secret, so it is the same browser
				if err := s.deleteDevice(ctx, one); err != nil {
					return added{}, err
				}
			}
		}
		now := s.Clock.Now()
		if d.ID != 0 {
			if d.Web.Subscription.Equal(&in.Subscription) && d.Web.Withdraws == in.Withdraws && d.URL == a.URL {
				return added{d.ID}, nil
			}
			d.Web, d.URL = push.NewWebDevice(in.Subscription, in.Withdraws, now), a.URL
			return added{d.ID}, s.store.Update(ctx, d)
		}
		if err := s.checkDeviceLimits(ctx, a); err != nil {
			return added{}, err
		}
		d = &push.Device{
			Realm: a.Realm, User: a.User, URL: a.URL, TokenID: id, TokenKind: push.Web,
			Web: push.NewWebDevice(in.Subscription, in.Withdraws, now),
		}
		if d.ID, err = s.store.Add(ctx, a.Realm, a.User); err != nil {
			return added{}, err
		}
		if err := s.store.Update(ctx, d); err != nil {
			return added{}, err
		}
		return added{d.ID}, s.Log.Append(ctx,
			deviceAdded.To(a.Realm, event.To(a.User), deviceRef{d.ID}),
			deviceUpdated.To(a.Realm, event.To(a.User), fieldsOf(d, push.Changed{Token: true})))
	})
}

// checkDeviceLimits returns an error if the user has the maximum number of devices. Errors: BadRequest.
func (s *service) checkDeviceLimits(ctx context.Context, a kit.Actor) error {
	all, err := s.store.Of(ctx, a.User)
	if err != nil {
		return err
	}
	web := 0
	for _, d := range all {
		if d.Web != nil {
			web++
		}
	}
	if web >= s.cfg.MaxWeb {
		return errs.Bad("Too many devices with Web Push (limit: %d). Remove some first.", s.cfg.MaxWeb)
	}
	if len(all) >= s.cfg.MaxDevices {
		return errTooMany(s.cfg.MaxDevices)
	}
	return nil
}

// deleteDevice deletes a device and notifies its owner.
func (s *service) deleteDevice(ctx context.Context, d *push.Device) error {
	if err := s.store.Remove(ctx, d.ID); err != nil {
		return err
	}
	return s.Log.Append(ctx, deviceRemoved.To(d.Realm, event.To(d.User), deviceRef{d.ID}))
}

type webKey struct {
	PublicKey string `json:"public_key"`
}

// webKey handles GET /web_push/key. It returns the applicationServerKey that browsers need to subscribe. Errors:
// PushNotConfigured.
func (s *service) webKey(ctx context.Context, _ kit.Actor, _ kit.None) (webKey, error) {
	if !s.Web.Configured() {
		return webKey{}, errUnconfigured()
	}
	key, err := s.vapid(ctx)
	if err != nil {
		return webKey{}, err
	}
	public, err := push.WebPublicKey(key)
	return webKey{public}, err
}

// vapid returns the key pair that identifies the server to push services.
func (s *service) vapid(ctx context.Context) (*ecdsa.PrivateKey, error) {
	secret, err := s.webSecret.Secret(ctx)
	if err != nil {
		return nil, err
	}
	return push.WebKey(secret)
}
