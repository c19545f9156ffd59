package push

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	forwardTurn = 5 * time.Minute  // maximum duration of a job's run
	firstRetry  = 5 * time.Second  // interval between the first two attempts; it doubles each time
	maxRetry    = 15 * time.Minute // maximum interval between attempts; that after an internal error
	// registrationExpiry is the age at which a registration expires. Push services accept it for 24 hours.
	registrationExpiry = 25 * time.Hour
)

// forward is the job that forwards queued registrations to the push service.
func (s *service) forward(ctx context.Context) error {
	ctx, holder, done := s.Node.Hold(ctx)
	defer done()
	for s.Service.Configured() {
		now := s.Clock.Now()
		r, err := s.store.Due(ctx, now)
		if err != nil || r == nil {
			return err
		}
		took, err := kit.Tx(
			ctx,
			s.Work,
			func(ctx context.Context) (bool, error) { return s.store.Take(ctx, r, holder, now.Add(maxRetry)) },
		)
		if err != nil {
			return err
		}
		if !took {
			continue
		}
		if err := s.forwardOne(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// forwardOne makes one attempt to forward a registration.
func (s *service) forwardOne(ctx context.Context, r *registrationRow) error {
	v, err := s.Directory.View(ctx, r.RealmID)
	if err != nil {
		return err
	}
	err = s.Service.Register(ctx, push.ServiceRegistration{
		RealmUUID: v.Realm().UUID, TokenID: r.TokenID, BouncerKey: r.BouncerKey, Sealed: r.Sealed,
	})
	if code, final := finalResult(err); final {
		return s.finishRegistration(ctx, r, code)
	}
	now := s.Clock.Now()
	if now.Sub(r.CreatedAt) > registrationExpiry {
		return s.finishRegistration(ctx, r, errs.RequestExpired)
	}
	s.Logger.WarnContext(ctx, "push registration failed and will be retried",
		"device", r.DeviceID, "tries", r.Tries+1, "error", err)
	wait := min(firstRetry<<min(r.Tries, 20), maxRetry)
	return s.Work.Do(
		context.WithoutCancel(ctx),
		func(ctx context.Context) error { return s.store.Postpone(ctx, r, now.Add(wait)) },
	)
}

// finalResult interprets the error of a registration call to the push service. It returns "" for success or the code of
// a permanent error. It reports false if the call must be retried.
func finalResult(err error) (errs.Code, bool) {
	var e *errs.Error
	switch {
	case err == nil:
		return "", true
	case !errors.As(err, &e):
		return "", false
	case e.Code == errs.InvalidBouncerKey || e.Code == errs.BadRequest || e.Code == errs.RequestExpired:
		return e.Code, true
	}
	return "", false
}

// finishRegistration records the push service's response and notifies the owner of the device. code is "" if the
// service accepted the registration.
func (s *service) finishRegistration(ctx context.Context, r *registrationRow, code errs.Code) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, r.RealmID); err != nil {
			return err
		}
		current, err := s.store.Finish(ctx, r)
		if err != nil || !current {
			return err
		}
		d, err := s.store.ByID(ctx, r.DeviceID)
		if err != nil || d == nil {
			return err
		}
		var c push.Changed
		report := account{ID: accountID(d.ID), Status: "active"}
		if code == "" {
			c = d.Accept()
			if err := s.store.RemoveByID(ctx, d.User, d.TokenID); err != nil {
				return err
			}
		} else {
			c = d.Refuse(code)
			report.Status, report.Error = "failed", d.Error
		}
		if err := s.store.Update(ctx, d); err != nil {
			return err
		}
		return s.Log.Append(
			ctx,
			deviceUpdated.To(d.Realm, event.To(d.User), fieldsOf(d, c)),
			outcome.To(d.Realm, event.To(d.User), report),
		)
	})
}
