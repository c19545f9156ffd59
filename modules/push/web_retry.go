package push

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// perRetry is the number of devices for which requests are retried concurrently. It is small enough to leave workers of
// the adapter for first attempts.
const perRetry = 32

// retryWeb is the job that retries failed Web Push requests. It sends the oldest request of each device that is due
// for a retry, and continues with the device's next one if that succeeds.
func (s *service) retryWeb(ctx context.Context) error {
	if !s.Web.Configured() {
		return nil
	}
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		return s.store.ExpireRetries(ctx, s.Clock.Now().Add(-noticeLifetime))
	})
	for err == nil {
		var devices []*push.Device
		var first map[push.DeviceID]webRetry
		devices, first, err = s.store.DueRetries(ctx, s.Clock.Now(), perRetry)
		if len(devices) == 0 {
			return err
		}
		byRealm := map[realm.ID][]*push.Device{}
		for _, d := range devices {
			byRealm[d.Realm] = append(byRealm[d.Realm], d)
		}
		for r, some := range byRealm {
			if err == nil {
				err = s.retryWebInRealm(ctx, r, some, first)
			}
		}
	}
	return err
}

func (s *service) retryWebInRealm(
	ctx context.Context,
	r realm.ID,
	devices []*push.Device,
	first map[push.DeviceID]webRetry,
) error {
	v, err := s.Directory.View(ctx, r)
	if errs.Is(err, errs.NotFound) || err == nil && (v.Realm() == nil || v.Realm().Deactivated) {
		return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.DeleteRetriesTo(ctx, idsOf(devices)) })
	}
	if err != nil {
		return err
	}
	items, obsolete, err := s.encodeRetries(ctx, v, devices, first)
	if err != nil {
		return err
	}
	out, err := s.sendWeb(ctx, items, 0)
	if err != nil {
		return err
	}
	out.done = append(out.done, obsolete...)
	return s.storeWebOutcome(ctx, r, out, nil)
}

// encodeRetries encodes the request in first for each device. Requests that need no longer be sent are returned as
// obsolete.
func (s *service) encodeRetries(
	ctx context.Context, v *directory.View, devices []*push.Device, first map[push.DeviceID]webRetry,
) (items []webItem, obsolete []webRetry, err error) {
	keys, byUser := make([]noticeKey, len(devices)), map[user.ID][]*push.Device{}
	for i, d := range devices {
		keys[i] = noticeKey{d.User, first[d.ID].MessageID}
		byUser[d.User] = append(byUser[d.User], d)
	}
	notices, err := s.store.Notices(ctx, keys)
	if err != nil {
		return nil, nil, err
	}
	var send []notice
	for _, n := range notices {
		if n.State == toSend || n.State == shown {
			send = append(send, n)
		}
	}
	unread, err := s.unread(ctx, v.Realm().ID, send)
	if err != nil {
		return nil, nil, err
	}
	badges, err := s.badges(ctx, byUser)
	if err != nil {
		return nil, nil, err
	}
	now, texts := s.Clock.Now(), newTexts(s, v)
	for i, d := range devices {
		r, n := first[d.ID], notices[keys[i]]
		m := unread[r.MessageID]
		sees := m != nil && m.Users.Has(d.User) && (n.State == toSend || n.State == shown)
		var body payload
		switch {
		case r.Withdraw && d.Web.Withdraws:
			body = removePayload([]message.ID{r.MessageID}, badges[d.User])
			n = notice{UserID: d.User, MessageID: r.MessageID, RealmID: r.RealmID, State: toWithdraw}
		case !r.Withdraw && sees:
			body = messagePayload(v, m, n, texts.of(m, d.User), badges[d.User])
			n.State = toSend
		default:
			obsolete = append(obsolete, r)
			continue
		}
		item, err := webItemOf(d, body(commonOf(v, d, r.Withdraw), true), now, []notice{n})
		if err != nil { // skip the request, so that it does not block others
			s.Logger.ErrorContext(ctx, "push notification skipped: cannot encode it", "realm", d.Realm, "error", err)
			obsolete = append(obsolete, r)
			continue
		}
		item.rows = []webRetry{r}
		items = append(items, item)
	}
	return items, obsolete, nil
}

func idsOf(devices []*push.Device) []push.DeviceID {
	out := make([]push.DeviceID, len(devices))
	for i, d := range devices {
		out[i] = d.ID
	}
	return out
}
