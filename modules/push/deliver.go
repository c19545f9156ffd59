package push

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

const (
	perTurn        = 500             // maximum number of notifications read at once
	perCall        = 200             // requests per call of the push service, exceeded only by users with more devices
	noticeRetry    = 2 * time.Second // interval between the first two attempts; it doubles each time
	maxNoticeRetry = time.Minute     // maximum interval between attempts
	noticeLifetime = 24 * time.Hour  // age after which a notification is no longer sent
)

// deliver is the job that sends and withdraws notifications. If the server crashes while it sends a notification, it
// sends the notification again with the same encrypted data, so that services and clients recognize the duplicate.
func (s *service) deliver(ctx context.Context) error {
	if !s.reach().service && !s.reach().web {
		return nil
	}
	for {
		if err := s.recheck(ctx); err != nil {
			return err
		}
		rows, err := s.store.DueNotices(ctx, s.Clock.Now(), perTurn)
		if err != nil || len(rows) == 0 {
			return err
		}
		byRealm := map[realm.ID][]notice{}
		var order []realm.ID
		for _, r := range rows {
			if byRealm[r.RealmID] == nil {
				order = append(order, r.RealmID)
			}
			byRealm[r.RealmID] = append(byRealm[r.RealmID], r)
		}
		all := kit.Each(len(order), func(i int) error { return s.deliverIn(ctx, order[i], byRealm[order[i]]) })
		if err := errors.Join(all...); err != nil {
			return err
		}
	}
}

// batch holds the requests for one call of the push service.
type batch struct {
	requests []push.ServiceNotification
	rows     []notice
	tokens   [][]string // for each row, the IDs of the tokens in its requests
}

// add adds the requests that deliver rows. Each request delivers all of them to one device.
func (b *batch) add(requests []push.ServiceNotification, rows ...notice) {
	b.requests = append(b.requests, requests...)
	ids := make([]string, len(requests))
	for i, r := range requests {
		ids[i] = r.TokenID
	}
	for _, r := range rows {
		b.rows, b.tokens = append(b.rows, r), append(b.tokens, ids)
	}
}

// split separates the rows with tokens that must be retried from the others.
func (b *batch) split(retryTokens map[string]bool) (sent, retry []notice) {
	for i, r := range b.rows {
		if slices.ContainsFunc(b.tokens[i], func(id string) bool { return retryTokens[id] }) {
			retry = append(retry, r)
		} else {
			sent = append(sent, r)
		}
	}
	return sent, retry
}

// deliverIn sends or withdraws notifications of one realm. If it returns nil, none of them is due any longer.
func (s *service) deliverIn(ctx context.Context, r realm.ID, rows []notice) error {
	v, err := s.Directory.View(ctx, r)
	if errs.Is(err, errs.NotFound) || err == nil && (v.Realm() == nil || v.Realm().Deactivated) {
		return s.finish(ctx, rows, over)
	}
	if err != nil {
		return err
	}
	p, err := s.plan(ctx, v, rows)
	if err != nil {
		return err
	}
	if p.encodeErr != nil {
		s.Logger.ErrorContext(ctx, "push notification skipped: cannot encode it", "realm", r, "error", p.encodeErr)
	}
	if err := s.finish(ctx, p.obsolete, over); err != nil {
		return err
	}
	if err := s.finish(ctx, p.withdraw, toWithdraw); err != nil {
		return err
	}
	if err := s.finish(ctx, p.expired, shown); err != nil {
		return err
	}
	if err := s.deliverWeb(ctx, r, p.web); err != nil {
		return err
	}
	if err := s.finish(ctx, p.webOnly, shown); err != nil {
		return err
	}
	return s.deliverBatches(ctx, v, p.batches)
}

// deliverBatches passes notifications to the push service.
func (s *service) deliverBatches(ctx context.Context, v *directory.View, batches []batch) error {
	r := v.Realm().ID
	for i := range batches {
		report, err := s.Service.Notify(ctx, v.Realm().UUID, batches[i].requests)
		s.sent.Add(len(batches[i].requests), "mobile", ports.Outcome(err))
		if errs.Is(err, errs.PushDisallowed) {
			s.Logger.WarnContext(ctx, "push service does not deliver for a realm", "realm", r, "error", err)
			if err := s.setStanding(ctx, r, &push.Standing{CanPush: false}); err != nil {
				return err
			}
			if err := s.finish(ctx, batches[i].rows, over); err != nil {
				return err
			}
			continue
		}
		if errs.Is(err, errs.BadRequest) { // a retry would fail too, and block all other notifications
			s.Logger.ErrorContext(ctx, "push service rejects notifications as malformed", "realm", r, "error", err)
			if err := s.finish(ctx, batches[i].rows, over); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			var rest []notice
			for _, p := range batches[i:] {
				rest = append(rest, p.rows...)
			}
			return s.retry(ctx, rest, err)
		}
		if err := s.removeDeadTokens(ctx, r, report); err != nil {
			return err
		}
		if err := s.setStanding(ctx, r, report.Standing); err != nil {
			return err
		}
		sent, retry := batches[i].split(report.Later)
		if err := s.finish(ctx, sent, shown); err != nil {
			return err
		}
		if err := s.retry(ctx, retry, errLater); err != nil {
			return err
		}
	}
	return nil
}

var errLater = errors.New("push services are temporarily rejecting notifications")

// retry schedules another attempt to send notifications.
func (s *service) retry(ctx context.Context, rows []notice, cause error) error {
	if len(rows) == 0 {
		return nil
	}
	tries := 0
	for _, r := range rows {
		tries = max(tries, r.Tries)
	}
	wait := min(noticeRetry<<min(tries, 10), maxNoticeRetry)
	s.Logger.WarnContext(ctx, "push notifications failed and will be retried",
		"notifications", len(rows), "after", wait, "error", cause)
	ctx = context.WithoutCancel(ctx) // store the outcome even if the server is stopping
	return s.Work.Do(ctx, func(ctx context.Context) error {
		return s.store.PostponeNotices(ctx, rows, s.Clock.Now().Add(wait))
	})
}

// finish sets the new state of notifications that have been sent or withdrawn: from toSend to the state sent, and from
// toWithdraw to over. If sent is shown, finish schedules a recheck, because the messages may have been read in the
// meantime.
func (s *service) finish(ctx context.Context, rows []notice, sent state) error {
	if len(rows) == 0 {
		return nil
	}
	var send, withdrawn []notice
	var us []user.ID
	for _, r := range rows {
		if r.State == toWithdraw {
			withdrawn = append(withdrawn, r)
			continue
		}
		send, us = append(send, r), append(us, r.UserID)
	}
	now := s.Clock.Now()
	return s.Work.Do(context.WithoutCancel(ctx), func(ctx context.Context) error {
		if err := s.store.Advance(ctx, withdrawn, toWithdraw, over, now); err != nil {
			return err
		}
		if err := s.store.Advance(ctx, send, toSend, sent, now); err != nil || sent != shown {
			return err
		}
		slices.Sort(us)
		return s.store.RecheckUsers(ctx, slices.Compact(us))
	})
}
