// Package scheduled is messages that are to be sent later, and reminders of messages.
package scheduled

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a scheduled message or a reminder; it is not the ID that the message gets when it is sent.
type ID int64

// MaxLateness is by how much a scheduled message may miss its time and still be sent.
const MaxLateness = 10 * time.Minute

// Limits of what one person has scheduled, messages and reminders together: /register answers all of it.
const (
	MaxWaiting = 10_000
	MaxBytes   = 8_000_000 // of Markdown and HTML
)

// latest is the last second of the year 9999.
const latest = 253402300799

// Message is a message that is to be sent later.
type Message struct {
	ID           ID
	Realm        realm.ID
	Sender       user.ID
	Place        Place
	Content      string // Markdown
	Rendered     string // HTML, as of the last change
	At           time.Time
	ReadBySender bool   // the message is read by its sender from the start
	Client       string // which created or last changed it
	URL          string // where the sender reached the realm
	Failed       bool   // it could not be sent, and is not tried again until its time is changed
	Sent         bool   // it has been sent; only the ID is kept, for a while
	Version      int    // counts the changes
}

// Place is where a message goes: a channel and topic, or people.
type Place struct {
	Channel channel.ID // 0: people
	Topic   string
	People  user.Set // the participants without the sender, or the sender alone
}

// Reminder is a message that a person is to be reminded of. Its text is made when it is created, and does not follow
// the message.
type Reminder struct {
	ID       ID
	User     user.ID
	Target   int64  // ID of the message
	Content  string // Markdown of what the notification bot will send
	Rendered string // HTML
	At       time.Time
	Failed   bool
}

// At checks a delivery time in Unix seconds. Errors: BadRequest.
func At(seconds int64, now time.Time) (time.Time, error) {
	at := time.Unix(min(seconds, latest+1), 0).UTC()
	switch {
	case !at.After(now):
		return time.Time{}, errs.Bad("Scheduled delivery time must be in the future.")
	case seconds > latest:
		return time.Time{}, errs.Bad("Scheduled delivery time is too far in the future.")
	}
	return at, nil
}

// Total is how much a person has scheduled.
type Total struct {
	Entries int
	Bytes   int // of Markdown and HTML
}

// Admit refuses another entry, with that many bytes, beyond the limits. Errors: BadRequest.
func (t Total) Admit(bytes int) error {
	if t.Entries >= MaxWaiting || t.Bytes+bytes > MaxBytes {
		return errs.Bad("You have too many scheduled messages and reminders. Delete some first.")
	}
	return nil
}
