package push

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
)

type testRequest struct {
	Device *push.DeviceID `json:"device_id"`
}

// test is POST /mobile_push/e2ee/test_notification. Errors: PushNotConfigured, NoActiveDevice, AdminAction,
// BouncerUnreachable, BouncerFailed.
func (s *service) test(ctx context.Context, a kit.Actor, in testRequest) (kit.None, error) {
	if !s.Service.Configured() {
		return kit.None{}, errUnconfigured()
	}
	none := errs.New(errs.NoActiveDevice, "No active registered push device")
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return kit.None{}, err
	}
	all, err := s.store.Of(ctx, a.User)
	if err != nil {
		return kit.None{}, err
	}
	var send []push.ServiceNotification
	for _, d := range all {
		if !d.Active() || in.Device != nil && d.ID != *in.Device {
			continue
		}
		n, err := sealed(d, push.Test{
			Common: push.Common{Type: "test", RealmURL: d.URL, RealmName: v.Realm().Settings.Name, User: a.User}, Time: s.Clock.Now().Unix(),
		})
		if err != nil {
			return kit.None{}, err
		}
		send = append(send, n)
	}
	if len(send) == 0 {
		return kit.None{}, none
	}
	report, err := s.Service.Notify(ctx, v.Realm().UUID, send)
	if err != nil {
		return kit.None{}, err
	}
	if err := s.bury(ctx, a.Realm, report); err != nil {
		return kit.None{}, err
	}
	if len(report.Dead) > 0 && report.FCM+report.APNs == 0 {
		return kit.None{}, none
	}
	if len(report.Later) > 0 && report.FCM+report.APNs == 0 {
		return kit.None{}, errs.New(errs.BouncerFailed, "The push service could not reach the devices.")
	}
	return kit.None{}, nil
}

// sealed encrypts a payload for a device.
func sealed(d *push.Device, payload any) (push.ServiceNotification, error) {
	data, err := encrypt(d, payload)
	return push.ServiceNotification{TokenID: d.TokenID, Kind: d.TokenKind, KeyID: d.Key.ID, Data: data}, err
}
