package scheduled

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// listReminders handles GET /reminders.
func (s *service) listReminders(ctx context.Context, a kit.Actor, _ kit.None) (remindersWire, error) {
	rows, err := s.rows.Of(ctx, a.User, isReminder)
	if err != nil {
		return remindersWire{}, err
	}
	shown := make([]*row, len(rows))
	for i := range rows {
		shown[i] = &rows[i]
	}
	err = s.withhold(ctx, a.Realm, shown)
	all := make([]wireReminder, len(rows))
	for i, r := range rows {
		all[i] = wireReminderOf(r)
	}
	return remindersWire{all}, err
}

// withhold removes from reminders the quotations that their readers may no longer be shown. It ignores other rows.
func (s *service) withhold(ctx context.Context, r realm.ID, rows []*row) error {
	reminders, disclosures, err := s.disclosures(ctx, r, rows)
	for i, one := range reminders {
		one.Content, one.Rendered = scheduled.Disclosed(one.Content, one.Rendered, disclosures[i])
		one.disclosed = disclosures[i]
	}
	return err
}

// disclosures returns those rows that are reminders, and what their readers may be shown of the message.
func (s *service) disclosures(ctx context.Context, r realm.ID, rows []*row) ([]*row, []message.Disclosure, error) {
	var reminders []*row
	var to []message.Reader
	for _, one := range rows {
		if one.Kind == isReminder {
			reminders = append(reminders, one)
			to = append(to, message.Reader{User: one.UserID, Message: message.ID(one.TargetID)})
		}
	}
	if len(to) == 0 {
		return nil, nil, nil
	}
	all, err := s.Messages.Disclosures(ctx, r, to)
	if err != nil {
		return nil, nil, err
	}
	return reminders, all, nil
}

// reminderSection returns the section reminders of /register.
func (s *service) reminderSection(ctx context.Context, a kit.Actor, _ event.Client) (remindersWire, error) {
	return s.listReminders(ctx, a, kit.None{})
}

type addReminderReq struct {
	Message message.ID `json:"message_id"`
	At      int64      `json:"scheduled_delivery_timestamp"`
	Note    string     `json:"note" default:""`
}

type addReminderRes struct {
	ID scheduled.ID `json:"reminder_id"`
}

// addReminder handles POST /reminders. Errors: BadRequest, also for messages that do not exist or that the caller
// cannot access.
func (s *service) addReminder(ctx context.Context, a kit.Actor, in addReminderReq) (addReminderRes, error) {
	note, err := scheduled.CheckNote(in.Note)
	if err != nil {
		return addReminderRes{}, err
	}
	at, err := scheduled.At(in.At, s.Clock.Now())
	if err != nil {
		return addReminderRes{}, err
	}
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return addReminderRes{}, err
	}
	found, err := s.Messages.Visible(ctx, a, in.Message)
	if err != nil {
		return addReminderRes{}, err
	}
	if len(found) == 0 {
		return addReminderRes{}, message.Invalid()
	}
	r := row{
		RealmID: a.Realm, UserID: a.User, Kind: isReminder, DeliverAt: at.Unix(),
		Content: scheduled.ReminderText(v, u, &found[0], note),
		URL:     a.URL, TargetID: int64(in.Message),
	}
	as, err := bot(v)
	if err != nil {
		return addReminderRes{}, err
	}
	to, err := json.Marshal(user.Set{a.User})
	if err != nil {
		return addReminderRes{}, err
	}
	r.Recipients = string(to)
	if _, r.Rendered, err = s.Dispatcher.Check(ctx, as, reminderMessage(&r)); err != nil {
		return addReminderRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addReminderRes, error) {
		if err := s.checkLimits(ctx, r); err != nil {
			return addReminderRes{}, err
		}
		id, err := s.rows.Insert(ctx, r)
		if err != nil {
			return addReminderRes{}, err
		}
		s.Work.AfterCommit(ctx, s.backlog.Added)
		return addReminderRes{id}, s.Log.Append(ctx, reminderAdded.To(a.Realm, event.To(a.User), stored{ID: id}))
	})
}

type removeReminderReq struct {
	ID scheduled.ID `json:"reminder_id"`
}

// removeReminder handles DELETE /reminders/:reminder_id. Errors: BadRequest (404 unless the caller owns the reminder
// and it has not been sent).
func (s *service) removeReminder(ctx context.Context, a kit.Actor, in removeReminderReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		r, found, err := s.rows.Get(ctx, a.Realm, a.User, isReminder, in.ID)
		if err != nil {
			return err
		}
		if !found || r.State == sent {
			return errs.Absent("Reminder does not exist")
		}
		if err := s.rows.Delete(ctx, a.Realm, in.ID); err != nil {
			return err
		}
		return s.Log.Append(ctx, reminderRemoved.To(a.Realm, event.To(a.User), removedReminder(in)))
	})
}

// bot returns the actor for the notification bot. Errors: BadRequest if the realm has no such bot.
func bot(v *directory.View) (user.Actor, error) {
	as, ok := v.SystemActor(user.NotificationBot)
	if !ok {
		return as, errs.Bad("This organization has no notification bot.")
	}
	return as, nil
}

// reminderMessage returns the message that a reminder sends. Its links and mentions are limited to what the receiver
// can access.
func reminderMessage(r *row) message.Outgoing {
	return message.Outgoing{To: []user.ID{r.UserID}, Content: r.Content, Silent: true, Viewer: r.UserID}
}
