package scheduled

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// recipients is a channel ID, or a list of user IDs.
type recipients any

func schemas() []kit.Schema {
	return []kit.Schema{
		kit.SchemaOf[recipients]("ScheduledRecipients", "The ID of the channel, or those of the people.",
			channel.ID(0), []user.ID{}),
		kit.SchemaOf[wireMessage]("ScheduledMessage", "A message that the server will send."),
		kit.SchemaOf[wireReminder]("Reminder", "A reminder of a message."),
	}
}

// wireMessage is a scheduled message in responses and events.
type wireMessage struct {
	ID       scheduled.ID `json:"scheduled_message_id"`
	Type     string       `json:"type"`
	To       recipients   `json:"to"`
	Topic    *string      `json:"topic,omitempty"`
	Content  string       `json:"content"`
	Rendered string       `json:"rendered_content"`
	At       int64        `json:"scheduled_delivery_timestamp"`
	Failed   bool         `json:"failed"`
}

// waiting answers scheduled.Waiting.
func (s *service) waiting(ctx context.Context, q scheduled.Waiting) ([]scheduled.Message, error) {
	rows, err := s.rows.Waiting(ctx, q.Realm, q.After, q.Limit)
	all := make([]scheduled.Message, len(rows))
	for i := range rows {
		var failed error
		all[i], failed = rows[i].message()
		err = errors.Join(err, failed)
	}
	return all, err
}

func wireMessageOf(r row) (wireMessage, error) {
	m, err := r.message()
	w := wireMessage{
		ID: m.ID, Type: "private", To: m.Place.People, Content: m.Content, Rendered: m.Rendered, At: m.At.Unix(),
		Failed: m.Failed,
	}
	if m.Place.Channel != 0 {
		w.Type, w.To, w.Topic = "stream", m.Place.Channel, &m.Place.Topic
	}
	return w, err
}

func wireMessagesOf(rows []row) ([]wireMessage, error) {
	out := make([]wireMessage, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = wireMessageOf(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// wireReminder is a reminder in responses and events.
type wireReminder struct {
	ID       scheduled.ID `json:"reminder_id"`
	Type     string       `json:"type"`
	To       []user.ID    `json:"to"`
	Content  string       `json:"content"`
	Rendered string       `json:"rendered_content"`
	At       int64        `json:"scheduled_delivery_timestamp"`
	Failed   bool         `json:"failed"`
	Target   int64        `json:"reminder_target_message_id"`
}

func wireReminderOf(row row) wireReminder {
	r := row.reminder()
	return wireReminder{
		ID: r.ID, Type: "private", To: []user.ID{r.User}, Content: r.Content, Rendered: r.Rendered, At: r.At.Unix(),
		Failed: r.Failed, Target: r.Target,
	}
}

type (
	// stored is the logged payload of add and update events.
	stored struct {
		ID       scheduled.ID `json:"id"`
		message  *wireMessage
		reminder *wireReminder
	}
	removed struct {
		ID scheduled.ID `json:"scheduled_message_id"`
	}
	removedReminder struct {
		ID scheduled.ID `json:"reminder_id"`
	}
	addedWire struct {
		Messages []wireMessage `json:"scheduled_messages"`
	}
	changedWire struct {
		Message *wireMessage `json:"scheduled_message"`
	}
	remindersWire struct {
		Reminders []wireReminder `json:"reminders"`
	}
)

// Add and update events omit messages that have been sent or deleted in the meantime; a remove event follows.
var (
	messageAdded = kit.Event[stored]("scheduled_messages", "add").Shape(
		func(_ context.Context, _ *directory.View, _ event.Client, e *stored) (any, bool) {
			if e.message == nil {
				return nil, false
			}
			return addedWire{[]wireMessage{*e.message}}, true
		}).Sends(addedWire{})
	messageChanged = kit.Event[stored]("scheduled_messages", "update").Shape(
		func(_ context.Context, _ *directory.View, _ event.Client, e *stored) (any, bool) {
			return changedWire{e.message}, e.message != nil
		}).Sends(changedWire{})
	messageRemoved = kit.Event[removed]("scheduled_messages", "remove")
	reminderAdded  = kit.Event[stored]("reminders", "add").Shape(
		func(_ context.Context, _ *directory.View, _ event.Client, e *stored) (any, bool) {
			if e.reminder == nil {
				return nil, false
			}
			return remindersWire{[]wireReminder{*e.reminder}}, true
		}).Sends(remindersWire{})
	reminderRemoved = kit.Event[removedReminder]("reminders", "remove")
)

// load reads the messages of a page of events in one query.
func (s *service) load(ctx context.Context, _ *directory.View, page []*stored) error {
	found, err := s.rows.ByID(ctx, idsOf(page))
	for _, e := range page {
		if r, ok := found[e.ID]; ok && err == nil {
			var w wireMessage
			w, err = wireMessageOf(r)
			e.message = &w
		}
	}
	return err
}

// loadReminders reads the reminders of a page of events in one query.
func (s *service) loadReminders(ctx context.Context, now *directory.View, page []*stored) error {
	found, err := s.rows.ByID(ctx, idsOf(page))
	if err != nil {
		return err
	}
	rows := make([]*row, 0, len(found))
	for _, r := range found {
		rows = append(rows, &r)
	}
	if err := s.withhold(ctx, now.Realm().ID, rows); err != nil {
		return err
	}
	shown := make(map[scheduled.ID]wireReminder, len(rows))
	for _, r := range rows {
		shown[r.ID] = wireReminderOf(*r)
	}
	for _, e := range page {
		if w, ok := shown[e.ID]; ok {
			e.reminder = &w
		}
	}
	return nil
}

func idsOf(page []*stored) []scheduled.ID {
	ids := make([]scheduled.ID, len(page))
	for i, e := range page {
		ids[i] = e.ID
	}
	return ids
}
