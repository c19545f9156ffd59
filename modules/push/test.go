package push

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

type testRequest struct {
	Device *push.DeviceID `json:"device_id"`
}

// testCounts counts the outcomes of test notifications.
type testCounts struct{ delivered, later int }

// test handles POST /mobile_push/e2ee/test_notification. Errors: PushNotConfigured, NoActiveDevice, AdminAction,
// BouncerUnreachable, BouncerFailed, RateLimit.
func (s *service) test(ctx context.Context, a kit.Actor, in testRequest) (kit.None, error) {
	reach := s.reach()
	if !reach.service && !reach.web {
		return kit.None{}, errUnconfigured()
	}
	if err := s.limit.take(tests, a.User, s.Clock.Now()); err != nil {
		return kit.None{}, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return kit.None{}, err
	}
	all, err := s.store.Of(ctx, a.User)
	if err != nil {
		return kit.None{}, err
	}
	var send []push.ServiceNotification
	var web []webItem
	for _, d := range all {
		if !d.Active() || in.Device != nil && d.ID != *in.Device {
			continue
		}
		payload := push.Test{
			Common: push.Common{Type: "test", RealmURL: d.URL, RealmName: v.Realm().Settings.Name, User: a.User},
			Time:   s.Clock.Now().Unix(),
		}
		switch {
		case d.Web != nil && reach.web:
			n, err := webNotification(d, payload, "test")
			if err != nil {
				return kit.None{}, err
			}
			web = append(web, webItem{device: d, send: n, rows: []webRetry{{DeviceID: d.ID}}})
		case d.Web == nil && reach.service:
			n, err := encryptedFor(d, payload)
			if err != nil {
				return kit.None{}, err
			}
			send = append(send, n)
		}
	}
	byService, err := s.testService(ctx, a.Realm, v.Realm().UUID, send)
	if err != nil {
		return kit.None{}, err
	}
	byWeb, err := s.testWeb(ctx, a.Realm, web)
	switch {
	case err != nil:
		return kit.None{}, err
	case byService.delivered+byWeb.delivered > 0:
		return kit.None{}, nil
	case byService.later+byWeb.later > 0:
		return kit.None{}, errs.New(errs.BouncerFailed, "The push service could not reach the devices.")
	}
	return kit.None{}, errs.New(errs.NoActiveDevice, "No active registered push device")
}

func (s *service) testService(
	ctx context.Context, r realm.ID, uuid string, send []push.ServiceNotification,
) (testCounts, error) {
	if len(send) == 0 {
		return testCounts{}, nil
	}
	report, err := s.Service.Notify(ctx, uuid, send)
	var refusal *errs.Error
	switch {
	case errors.As(err, &refusal), ctx.Err() != nil:
		return testCounts{}, err
	case err != nil:
		return testCounts{}, errs.New(errs.Unavailable, "The push service cannot be reached; please try again.").
			Because(err)
	}
	out := testCounts{report.FCM + report.APNs + report.Web, len(report.Later)}
	if len(report.Dead)+len(report.Later) == 0 {
		out.delivered = len(send)
	}
	return out, s.removeDeadTokens(ctx, r, report)
}

func (s *service) testWeb(ctx context.Context, r realm.ID, web []webItem) (testCounts, error) {
	out, err := s.sendWeb(ctx, web, 0)
	if err != nil {
		return testCounts{}, err
	}
	later := len(out.retry) + len(out.done) - len(out.reached) // includes requests that a service rejected
	return testCounts{len(out.reached), later}, s.storeWebOutcome(ctx, r, webOutcome{dead: out.dead}, nil)
}

// encryptedFor returns a request to the push service with a payload encrypted for a device.
func encryptedFor(d *push.Device, payload any) (push.ServiceNotification, error) {
	data, err := encrypt(d, payload)
	return push.ServiceNotification{TokenID: d.TokenID, Kind: d.TokenKind, KeyID: d.Key.ID, Data: data}, err
}
