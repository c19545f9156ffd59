package scheduled

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

const (
	duePerRound = 2048             // rows read at once
	latePerRun  = 20               // overdue messages failed per run, few so as not to delay due ones
	turnTime    = time.Second      // duration of a node's turn, which the node can extend
	maxTurn     = 10 * time.Second // a longer turn is void: the clock has been set back
	retryAfter  = 5 * time.Second  // pause before a message is retried after an internal error
)

// errChanged means that the message was changed, deleted or sent after it was read.
var errChanged = errors.New("scheduled: the message has changed since it was due")

// deliver sends due messages, oldest first. It is a job on every node; the node that has the turn delivers.
func (s *service) deliver(ctx context.Context) error {
	if !s.delivering.TryLock() {
		return nil
	}
	defer s.delivering.Unlock()
	for {
		now := s.Clock.Now()
		due, err := s.rows.Due(ctx, now, duePerRound)
		if err != nil {
			return err
		}
		if len(due) == 0 {
			return s.giveUp(ctx, now)
		}
		if mine, err := s.takeTurn(ctx, now); err != nil || !mine {
			return err
		}
		if err := s.send(ctx, now, due); err != nil {
			return err
		}
	}
}

// takeTurn reports whether this node has the turn, after taking or extending it if possible. A process that owns the
// database always has the turn.
func (s *service) takeTurn(ctx context.Context, now time.Time) (bool, error) {
	if s.DB.OneWriter() {
		return true, nil
	}
	if left := s.turnEnds.Sub(now); left > turnTime/2 && left <= turnTime {
		return true, nil
	}
	mine, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) {
		return s.rows.TakeTurn(ctx, s.node, now, now.Add(turnTime), now.Add(maxTurn))
	})
	if s.turnEnds = (time.Time{}); mine && err == nil {
		s.turnEnds = now.Add(turnTime)
	}
	return mine, err
}

// giveUp marks messages as failed that are too late to be sent.
func (s *service) giveUp(ctx context.Context, now time.Time) error {
	late, err := s.rows.Late(ctx, now, latePerRun)
	if err != nil || len(late) == 0 {
		return err
	}
	if mine, err := s.takeTurn(ctx, now); err != nil || !mine {
		return err
	}
	for _, r := range late {
		if err := s.recordFailure(ctx, now, r, errs.Bad(scheduled.TooLate)); err != nil {
			return err
		}
	}
	return nil
}

// send sends the messages of rows, realm by realm. Unless it returns an error, none of the rows is due afterwards,
// except those changed in the meantime.
func (s *service) send(ctx context.Context, now time.Time, due []*row) error {
	realms := map[realm.ID][]*row{}
	var order []realm.ID
	for _, r := range due {
		if realms[r.RealmID] == nil {
			order = append(order, r.RealmID)
		}
		realms[r.RealmID] = append(realms[r.RealmID], r)
	}
	var all []error
	for _, id := range order {
		all = append(all, s.sendOf(ctx, now, id, realms[id]))
	}
	return errors.Join(all...)
}

// sendOf sends the messages of one realm's rows.
func (s *service) sendOf(ctx context.Context, now time.Time, id realm.ID, due []*row) error {
	v, err := s.Directory.View(ctx, id)
	if errs.Is(err, errs.NotFound) { // the realm is being deleted
		return s.postpone(ctx, now, due...)
	}
	if err != nil {
		return err
	}
	var list []*ports.Dispatch
	rows := make(map[int64]*row, len(due))
	for _, r := range due {
		d, err := s.dispatch(v, r)
		if err != nil {
			if err := s.recordFailure(ctx, now, r, err); err != nil {
				return err
			}
			continue
		}
		rows[d.Ref] = r
		list = append(list, d)
	}
	failed := s.Dispatcher.Dispatch(ctx, id, list, func(ctx context.Context, ds []*ports.Dispatch) ([]event.Event, error) {
		return s.take(ctx, id, rows, ds)
	})
	for _, d := range list {
		if d.Err != nil && !errors.Is(d.Err, errChanged) && failed == nil {
			failed = s.recordFailure(ctx, now, rows[d.Ref], d.Err)
		}
	}
	return failed
}

// dispatch returns the message that a row schedules.
func (s *service) dispatch(v *directory.View, r *row) (*ports.Dispatch, error) {
	if v.Realm().Deactivated {
		return nil, errs.Bad("The organization is deactivated.")
	}
	if r.Kind == isReminder {
		as, err := bot(v)
		as.URL = r.URL
		return &ports.Dispatch{As: as, Message: reminderMessage(r), Ref: int64(r.ID)}, err
	}
	m, err := r.message()
	return &ports.Dispatch{As: sender(m, v.User(m.Sender)), Message: outgoing(m), Ref: int64(r.ID)}, err
}

// take marks rows as sent, in the transaction that sends their messages, and returns the events for their owners. It
// sets Err to errChanged in dispatches whose row has changed.
func (s *service) take(ctx context.Context, id realm.ID, rows map[int64]*row,
	ds []*ports.Dispatch) ([]event.Event, error) {
	versions := make(map[scheduled.ID]int, len(ds))
	for _, d := range ds {
		versions[scheduled.ID(d.Ref)] = rows[d.Ref].Version
	}
	taken, err := s.rows.Take(ctx, versions, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	var messages []scheduled.ID
	var events []event.Event
	for _, d := range ds {
		r := rows[d.Ref]
		if !taken[r.ID] {
			d.Err = errChanged
			continue
		}
		if r.Kind == isReminder {
			events = append(events, reminderRemoved.To(id, event.To(r.UserID), removedReminder{r.ID}))
			continue
		}
		messages = append(messages, r.ID)
		events = append(events, messageRemoved.To(id, event.To(r.UserID), removed{r.ID}))
	}
	if len(messages) == 0 {
		return events, nil
	}
	slices.Sort(messages)
	return events, s.Hooks.Run(ctx, &scheduled.Removed{Realm: id, IDs: messages, Sent: true})
}

// recordFailure handles a message that could not be sent: a refused message is marked as failed, any other is retried
// later.
func (s *service) recordFailure(ctx context.Context, now time.Time, r *row, err error) error {
	var refusal *errs.Error
	if !errors.As(err, &refusal) || refusal.Code == errs.Unavailable || refusal.Code == errs.Internal {
		s.Logger.ErrorContext(ctx, "a scheduled message could not be sent and will be retried", "id", r.ID, "error", err)
		return s.postpone(ctx, now, r)
	}
	return s.fail(ctx, r, refusal.Msg)
}

func (s *service) postpone(ctx context.Context, now time.Time, rs ...*row) error {
	ids := make([]scheduled.ID, len(rs))
	for i, r := range rs {
		ids[i] = r.ID
	}
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Postpone(ctx, ids, now.Add(retryAfter)) })
}

// fail marks a row as failed and notifies the sender in the same transaction, unless the sender or the organization is
// deactivated. Reminders have no event for failures.
func (s *service) fail(ctx context.Context, r *row, why string) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r.RealmID)
		if err != nil {
			return err
		}
		if _, err := s.Log.Lock(ctx, r.RealmID); err != nil {
			return err
		}
		if still, err := s.rows.Fail(ctx, r, why); err != nil || !still {
			return err
		}
		u := v.User(r.UserID)
		if v.Realm().Deactivated || u == nil || !u.Active || r.Kind == isReminder {
			return nil
		}
		if err := s.Log.Append(ctx, messageChanged.To(r.RealmID, event.To(r.UserID), stored{ID: r.ID})); err != nil {
			return err
		}
		as, err := bot(v)
		if err != nil {
			return nil //nolint:nilerr // there is no bot to send a notice; the message is marked
		}
		as.URL = r.URL
		_, err = s.Sender.Send(ctx, as, message.Outgoing{
			To: []user.ID{r.UserID}, Content: scheduled.FailureText(r.at(), why), Silent: true, Viewer: r.UserID,
		})
		if errs.Is(err, errs.BadRequest) {
			return nil
		}
		return err
	})
}

// forgetSent deletes rows a day after they were sent. It is run by a job.
func (s *service) forgetSent(ctx context.Context) error {
	const block = 1000
	for {
		n, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (int64, error) {
			return s.rows.ForgetSent(ctx, s.Clock.Now().Add(-24*time.Hour), block)
		})
		if err != nil || n < block {
			return err
		}
	}
}
