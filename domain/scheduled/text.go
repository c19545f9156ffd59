package scheduled

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// MaxNote is the maximum length of a reminder's note in code points.
const MaxNote = 500

// TooLate is the reason shown for a message that missed its delivery time.
const TooLate = "Message could not be sent at the scheduled time."

// Restored is the reason shown for a message that was due between a backup and its restoration.
const Restored = "The server was restored from a backup, and the message may have been sent before."

// CheckNote validates a reminder's note and returns its stored form. Errors: BadRequest.
func CheckNote(note string) (string, error) {
	note = strings.TrimSpace(note)
	switch {
	case utf8.RuneCountInString(note) > MaxNote:
		return "", errs.Bad("Maximum reminder note length: %d characters", MaxNote)
	case strings.ContainsRune(note, 0):
		return "", errs.Bad("Note must not contain null bytes")
	}
	return note, nil
}

// maxFailure is the maximum length of the reason in a failure text, in code points.
const maxFailure = 1000

// FailureText returns the notification bot's message to the sender of a scheduled message that failed.
func FailureText(at time.Time, why string) string {
	return fmt.Sprintf(
		"The message you scheduled for <time:%s> was not sent because of the following error:\n%s\n"+
			"[View scheduled messages](#scheduled)",
		at.UTC().Format(time.RFC3339), message.Enclose("quote", why, maxFailure),
	)
}

// ReminderText returns the notification bot's message that reminds reader of m. It always fits into a message.
func ReminderText(v *directory.View, reader *user.User, m *message.Visible, note string) string {
	c := message.ChannelOf(v, m.Recipient)
	what := "message"
	if c == nil {
		what = "direct message"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "You requested a reminder for the following %s.", what)
	if note != "" {
		b.WriteString(noteHeading + strings.ReplaceAll(note, "\n", noteLine))
	}
	fmt.Fprintf(&b, "\n\n%s ", mention(v, reader, m.Sender))
	link := m.URL(v)
	var where string
	if c != nil {
		if where = fmt.Sprintf("in #**%s>%s@%d**", c.Name, m.Topic, m.ID); strings.ContainsAny(c.Name+m.Topic, "`*") {
			where = "in a topic" // the names would end the link syntax; its URL contains them
		}
	} else {
		where = "to " + strings.Join(others(v, reader, m), ", ")
	}
	if kind := widget(m); kind != "" {
		fmt.Fprintf(&b, "[sent](%s) a %s %s.", link, kind, where)
		return b.String()
	}
	fmt.Fprintf(&b, "[said](%s) %s:\n", link, where)
	return b.String() + message.Enclose("quote", m.Content, message.MaxLength-utf8.RuneCountInString(b.String()))
}

// widget returns the display name of the message's widget type, or "" if it has no widget.
func widget(m *message.Visible) string {
	switch {
	case m.Facts&message.HasWidget == 0:
		return ""
	case strings.HasPrefix(m.Content, "/todo"):
		return "todo list"
	}
	return "poll"
}

// others mentions the participants of a direct conversation except the sender, or the sender if alone.
func others(v *directory.View, reader *user.User, m *message.Visible) []string {
	people := m.Members.Minus(user.Set{m.Sender})
	if len(people) == 0 {
		people = user.Set{m.Sender}
	}
	out := make([]string, 0, len(people))
	for _, u := range people {
		out = append(out, mention(v, reader, u))
	}
	return out
}

func mention(v *directory.View, reader *user.User, id user.ID) string {
	name := "unknown"
	if u := permission.UserOrStranger(v, reader, id); u != nil {
		name = u.FullName
	}
	return fmt.Sprintf("@_**%s|%d**", name, id)
}
