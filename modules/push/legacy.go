package push

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
)

type tokenRequest struct {
	Token string `json:"token"`
}

type apnsRequest struct {
	Token string `json:"token"`
	AppID string `json:"appid"`
}

// addFCM handles POST /users/me/android_gcm_reg_id. Errors: BadRequest.
func (s *service) addFCM(ctx context.Context, a kit.Actor, in tokenRequest) (kit.None, error) {
	return kit.None{}, s.addToken(ctx, a, push.LegacyToken{Kind: push.FCM, Token: in.Token})
}

// addAPNs handles POST /users/me/apns_device_token. Errors: BadRequest.
func (s *service) addAPNs(ctx context.Context, a kit.Actor, in apnsRequest) (kit.None, error) {
	if err := push.CheckAppID(in.AppID); err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.addToken(ctx, a, push.LegacyToken{Kind: push.APNs, Token: in.Token, AppID: in.AppID})
}

// removeFCM handles DELETE /users/me/android_gcm_reg_id. Errors: BadRequest.
func (s *service) removeFCM(ctx context.Context, a kit.Actor, in tokenRequest) (kit.None, error) {
	return kit.None{}, s.removeToken(ctx, a, push.LegacyToken{Kind: push.FCM, Token: in.Token})
}

// removeAPNs handles DELETE /users/me/apns_device_token. Errors: BadRequest.
func (s *service) removeAPNs(ctx context.Context, a kit.Actor, in tokenRequest) (kit.None, error) {
	return kit.None{}, s.removeToken(ctx, a, push.LegacyToken{Kind: push.APNs, Token: in.Token})
}

func (s *service) addToken(ctx context.Context, a kit.Actor, t push.LegacyToken) error {
	if err := push.CheckLegacy(t); err != nil {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil { // enforces the limit under concurrency
			return err
		}
		n, err := s.store.CountTokens(ctx, a.User)
		if err != nil {
			return err
		}
		if n >= int64(s.cfg.MaxDevices) {
			return errTooMany(s.cfg.MaxDevices)
		}
		return s.store.AddToken(ctx, a.Realm, a.User, t)
	})
}

func (s *service) removeToken(ctx context.Context, a kit.Actor, t push.LegacyToken) error {
	if err := push.CheckLegacy(t); err != nil {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		existed, err := s.store.RemoveToken(ctx, a.User, t.Kind, t.Token)
		if err == nil && !existed {
			return errs.Bad("Token does not exist")
		}
		return err
	})
}

type testLegacyRequest struct {
	Token *string `json:"token"`
}

// testLegacy handles POST /mobile_push/test_notification. Unencrypted notifications are not sent, so it only checks
// that the token is registered. Errors: InvalidPushToken.
func (s *service) testLegacy(ctx context.Context, a kit.Actor, in testLegacyRequest) (kit.None, error) {
	if in.Token == nil {
		return kit.None{}, nil
	}
	errUnknown := errs.New(errs.InvalidPushToken, "Device not recognized")
	if push.CheckLegacy(push.LegacyToken{Token: *in.Token}) != nil {
		return kit.None{}, errUnknown
	}
	registered, err := s.store.HasToken(ctx, a.User, *in.Token)
	if err == nil && !registered {
		err = errUnknown
	}
	return kit.None{}, err
}
