package scheduled

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/backup"
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
	duePerRound   = 2048            // rows read at once
	overduePerRun = 20              // overdue messages marked as failed per run, few so as not to delay due ones
	retryDelay    = 5 * time.Second // pause before a message is retried after an internal error
)

// errChanged reports that a message was changed, deleted or sent after it was read.
var errChanged = errors.New("scheduled: the message has changed since it was due")

// deliver is the job that sends due messages, oldest first. It runs on every node, but only the node that holds the
// lease sends messages.
func (s *service) deliver(ctx context.Context) error {
	if !s.delivering.TryLock() {
		return nil
	}
	defer s.delivering.Unlock()
	ctx, holder, done := s.Node.Hold(ctx)
	defer done()
	t := &turn{s: s, holder: holder}
	return errors.Join(s.deliverDue(ctx, t), t.end(context.WithoutCancel(ctx)))
}

func (s *service) deliverDue(ctx context.Context, t *turn) error {
	for {
		now := s.Clock.Now()
		due, err := s.rows.Due(ctx, now, s.steadyTime(now), duePerRound)
		if err != nil {
			return err
		}
		if len(due) == 0 {
			return s.failOverdue(ctx, t, now)
		}
		if held, err := t.take(ctx); err != nil || !held {
			return err
		}
		if err := s.send(ctx, now, due); err != nil {
			return err
		}
	}
}

// steadyTime returns the time without what the clock was set forward by: messages that are due only because of that are
// sent at once, rather than too late.
func (s *service) steadyTime(now time.Time) time.Time { return now.Add(-s.steady.Ahead(s.Clock)) }

// turn is the lease of a run, which it acquires only if a message is due.
type turn struct {
	s      *service
	holder string
	held   bool
}

// take acquires the lease if possible, and reports whether this node holds it. If only one process uses the database,
// it needs no lease.
func (t *turn) take(ctx context.Context) (bool, error) {
	if t.held || t.s.DB.OneWriter() {
		return true, nil
	}
	var err error
	t.held, err = kit.Tx(ctx, t.s.Work, func(ctx context.Context) (bool, error) {
		return t.s.rows.AcquireLease(ctx, t.holder)
	})
	return t.held, err
}

// end releases the lease.
func (t *turn) end(ctx context.Context) error {
	if !t.held {
		return nil
	}
	return t.s.Work.Do(ctx, func(ctx context.Context) error { return t.s.rows.ReleaseLease(ctx, t.holder) })
}

// failOverdue marks messages that are too late to be sent as failed.
func (s *service) failOverdue(ctx context.Context, t *turn, now time.Time) error {
	overdue, err := s.rows.Overdue(ctx, now, s.steadyTime(now), overduePerRun)
	if err != nil || len(overdue) == 0 {
		return err
	}
	if held, err := t.take(ctx); err != nil || !held {
		return err
	}
	for _, r := range overdue {
		if err := s.recordFailure(ctx, now, r, errs.Bad(scheduled.TooLate)); err != nil {
			return err
		}
	}
	return nil
}

// send sends the messages of rows, realm by realm. Unless it returns an error, none of the rows is due afterwards
// except those that have been changed in the meantime.
func (s *service) send(ctx context.Context, now time.Time, due []*row) error {
	byRealm := map[realm.ID][]*row{}
	var order []realm.ID
	for _, r := range due {
		if byRealm[r.RealmID] == nil {
			order = append(order, r.RealmID)
		}
		byRealm[r.RealmID] = append(byRealm[r.RealmID], r)
	}
	var all []error
	for _, id := range order {
		all = append(all, s.sendInRealm(ctx, now, id, byRealm[id]))
	}
	return errors.Join(all...)
}

// sendInRealm sends the messages of one realm's rows.
func (s *service) sendInRealm(ctx context.Context, now time.Time, id realm.ID, due []*row) error {
	v, err := s.Directory.View(ctx, id)
	if errs.Is(err, errs.NotFound) { // the realm is being deleted
		return s.postpone(ctx, now, due...)
	}
	if err != nil {
		return err
	}
	if err := s.withhold(ctx, id, due); err != nil {
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

// take marks rows as sent in the transaction that sends their messages, and returns the events for their owners. It
// sets Err to errChanged in dispatches whose row has changed, and in reminders that quote what their readers may no
// longer be shown: they stay due.
func (s *service) take(ctx context.Context, id realm.ID, rows map[int64]*row,
	ds []*ports.Dispatch) ([]event.Event, error) {
	versions := make(map[scheduled.ID]int, len(ds))
	all := make([]*row, len(ds))
	for i, d := range ds {
		all[i] = rows[d.Ref]
		versions[all[i].ID] = all[i].Version
	}
	reminders, disclosures, err := s.disclosures(ctx, id, all)
	if err != nil {
		return nil, err
	}
	for i, r := range reminders {
		if disclosures[i] < r.disclosed { // since the text was prepared
			delete(versions, r.ID)
		}
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

// recordFailure handles a message that could not be sent. It marks a rejected message as failed and schedules a retry
// after other errors.
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
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Postpone(ctx, ids, now.Add(retryDelay)) })
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
		if unchanged, err := s.rows.Fail(ctx, r, why); err != nil || !unchanged {
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
			return nil //nolint:nilerr // without a bot, no notice can be sent; the message is marked as failed
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

// deleteSent is the job that deletes rows a day after they were sent.
func (s *service) deleteSent(ctx context.Context) error {
	const block = 1000
	for {
		n, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (int64, error) {
			return s.rows.DeleteSent(ctx, s.Clock.Now().Add(-24*time.Hour), block)
		})
		if err != nil || n < block {
			return err
		}
	}
}

// restored marks the messages as failed that were due between the backup and now: they may have been sent.
func (s *service) restored(ctx context.Context, m *backup.Restored) error {
	return s.rows.FailDue(ctx, m.At, scheduled.Restored)
}
