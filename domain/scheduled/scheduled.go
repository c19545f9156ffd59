// Package scheduled describes scheduled messages and reminders.
package scheduled

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a scheduled message or reminder; the message gets another ID when it is sent.
type ID int64

// MaxLateness is the delay after which a scheduled message is no longer sent.
const MaxLateness = 10 * time.Minute

// Limits on a user's scheduled messages and reminders together, all of which /register returns.
const (
	MaxWaiting = 10_000
	MaxBytes   = 8_000_000 // of Markdown and HTML
)

// latest is the last second of the year 9999.
const latest = 253402300799

// Message is a scheduled message.
type Message struct {
	ID           ID
	Realm        realm.ID
	Sender       user.ID
	Place        Destination
	Content      string // Markdown
	Rendered     string // HTML, as of the last change
	At           time.Time
	ReadBySender bool   // marked as read by its sender from the start
	Client       string // the client that created or last changed it
	URL          string // the URL at which the sender reached the realm
	Failed       bool   // sending failed, and is not retried until the time is changed
	Sent         bool   // already sent; only the ID is kept for a while
	Version      int    // incremented by each change
}

// Destination is the destination of a message: a channel and topic, or users.
type Destination struct {
	Channel channel.ID // 0: users
	Topic   string
	People  user.Set // the participants without the sender, or the sender alone
}

// Reminder is a scheduled reminder of a message. Its text is composed at creation, so later changes to the message do
// not affect it; but the reader sees the quotation only as long as the text may be disclosed ([Disclosed]).
type Reminder struct {
	ID       ID
	User     user.ID
	Target   int64  // ID of the message
	Content  string // Markdown to be sent by the notification bot
	Rendered string // HTML
	At       time.Time
	Failed   bool
}

// At validates a delivery time in Unix seconds. Errors: BadRequest.
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

// Total counts a user's scheduled messages and reminders.
type Total struct {
	Entries int
	Bytes   int // of Markdown and HTML
}

// Admit refuses another entry of the given size if it would exceed the limits. Errors: BadRequest.
func (t Total) Admit(bytes int) error {
	if t.Entries >= MaxWaiting || t.Bytes+bytes > MaxBytes {
		return errs.Bad("You have too many scheduled messages and reminders. Delete some first.")
	}
	return nil
}
