package push

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
)

// webItem is a Web Push request to one device.
type webItem struct {
	device *push.Device
	rows   []webRetry // stored if the request fails
	send   push.WebNotification
}

// webItemOf returns a request with a payload for a device. rows are the notifications that it sends or withdraws.
func webItemOf(d *push.Device, payload any, now time.Time, rows []notice) (webItem, error) {
	item, withdraw, ttl := webItem{device: d}, rows[0].State == toWithdraw, noticeLifetime
	if !withdraw {
		ttl = max(time.Minute, noticeLifetime-now.Sub(rows[0].CreatedAt))
	}
	for _, n := range rows {
		at := n.CreatedAt
		if withdraw {
			at = now
		}
		item.rows = append(item.rows, webRetry{
			DeviceID: d.ID, MessageID: n.MessageID, RealmID: n.RealmID, Withdraw: withdraw, CreatedAt: at,
		})
	}
	// A withdrawal of one message has the same topic, so that it replaces an undelivered notification.
	topic := fmt.Sprintf("message %d", rows[0].MessageID)
	if len(rows) > 1 {
		topic = fmt.Sprintf("messages %d to %d", rows[0].MessageID, rows[len(rows)-1].MessageID)
	}
	var err error
	item.send, err = webNotification(d, payload, topic)
	item.send.Quiet, item.send.TTL = withdraw, ttl
	return item, err
}

func webNotification(d *push.Device, payload any, topic string) (push.WebNotification, error) {
	b, err := push.Encode(payload, push.MaxWebPayload)
	return push.WebNotification{
		To: d.Web.Subscription, Payload: b, Topic: push.WebTopic(&d.Web.Subscription, topic), TTL: noticeLifetime,
	}, err
}

// deliverWeb sends Web Push requests. Failed requests are stored for retryWeb. Requests to devices whose last request
// failed are stored without an attempt, so that others need not wait for them. All notifications wait for the first
// attempt, and users choose the hosts, so it has a short timeout.
func (s *service) deliverWeb(ctx context.Context, r realm.ID, items []webItem) error {
	var try []webItem
	var later []webRetry
	for _, item := range items {
		if item.device.Web.Failures > 0 {
			later = append(later, item.rows...)
		} else {
			try = append(try, item)
		}
	}
	out, err := s.sendWeb(ctx, try, s.cfg.FirstTry)
	if err != nil {
		return err
	}
	out.done, out.reached = nil, nil // these devices have no stored failures that need to be reset
	return s.storeWebOutcome(ctx, r, out, later)
}

// webOutcome holds the results of Web Push requests.
type webOutcome struct {
	done    []webRetry // delivered or permanently rejected
	retry   []webRetry // failed temporarily
	reached []push.DeviceID
	failed  map[push.DeviceID]*push.Device
	dead    map[push.DeviceID]*push.Device
}

// sendWeb sends each request once. limit is the timeout for all of them; 0 means no timeout.
func (s *service) sendWeb(ctx context.Context, items []webItem, limit time.Duration) (webOutcome, error) {
	out := webOutcome{failed: map[push.DeviceID]*push.Device{}, dead: map[push.DeviceID]*push.Device{}}
	if len(items) == 0 {
		return out, nil
	}
	key, err := s.vapid(ctx)
	if err != nil {
		return out, err
	}
	all := make([]push.WebNotification, len(items))
	for i, item := range items {
		all[i] = item.send
	}
	sendCtx, cancel := ctx, func() {}
	if limit > 0 {
		sendCtx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	waits := map[push.DeviceID]time.Duration{}
	for i, r := range s.Web.Deliver(sendCtx, key, all) {
		d, rows := items[i].device, items[i].rows
		outcome := "failed"
		switch r.Outcome {
		case push.Delivered:
			outcome = "ok"
			out.done, out.reached = append(out.done, rows...), append(out.reached, d.ID)
		case push.Refused:
			out.done = append(out.done, rows...)
		case push.Dead:
			out.dead[d.ID] = d
		case push.Later:
			out.retry, out.failed[d.ID] = append(out.retry, rows...), d
			waits[d.ID] = max(waits[d.ID], r.Wait)
		}
		s.sent.Add(1, "web", outcome)
	}
	for id, d := range out.failed {
		d.Web.Fail(s.Clock.Now(), waits[id])
	}
	return out, nil
}

// storeWebOutcome stores the results of requests, and further requests to be sent later.
func (s *service) storeWebOutcome(ctx context.Context, r realm.ID, out webOutcome, later []webRetry) error {
	if len(out.done)+len(out.retry)+len(out.dead)+len(later) == 0 {
		return nil
	}
	return s.Work.Do(context.WithoutCancel(ctx), func(ctx context.Context) error {
		if err := s.removeDeadDevices(ctx, r, out.dead); err != nil {
			return err
		}
		if err := s.store.DeleteRetries(ctx, out.done); err != nil {
			return err
		}
		s.Work.AfterCommit(ctx, s.retries.Added)
		if err := s.store.AddRetries(ctx, append(later, out.retry...)); err != nil {
			return err
		}
		failed := make([]*push.Device, 0, len(out.failed))
		for _, d := range out.failed {
			failed = append(failed, d)
		}
		return s.store.SetFailures(ctx, failed, out.reached)
	})
}

// removeDeadDevices deletes devices whose subscriptions have ended.
func (s *service) removeDeadDevices(ctx context.Context, r realm.ID, dead map[push.DeviceID]*push.Device) error {
	if len(dead) == 0 {
		return nil
	}
	if _, err := s.Log.Lock(ctx, r); err != nil {
		return err
	}
	all, err := s.store.ByIDs(ctx, slices.Sorted(maps.Keys(dead)))
	if err != nil {
		return err
	}
	var removed []push.DeviceID
	var events []event.Event
	for _, d := range all {
		if d.Web != nil && d.Web.Subscription.Equal(&dead[d.ID].Web.Subscription) { // not renewed in the meantime
			removed, events = append(removed, d.ID), append(events, deviceRemoved.To(r, event.To(d.User), deviceRef{d.ID}))
		}
	}
	if len(removed) == 0 {
		return nil
	}
	if err := s.store.Remove(ctx, removed...); err != nil {
		return err
	}
	return s.Log.Append(ctx, events...)
}
