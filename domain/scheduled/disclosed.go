package scheduled

import (
	"html"
	"strings"

	"github.com/stoachat/stoa/domain/message"
)

const (
	noteHeading = " Note:\n > " // followed by the note, whose lines are separated by noteLine
	noteLine    = "\n > "
)

// Disclosed returns the Markdown and HTML of a reminder whose reader may no longer be shown all of the message: with
// the reader's own note, and a link to the message if the reader can access it, but without the quotation.
func Disclosed(reminder, rendered string, d message.Disclosure) (markdown, html string) {
	if d == message.DiscloseQuote {
		return reminder, rendered
	}
	head, rest, _ := strings.Cut(reminder, "\n\n") // the lines of a note are not empty
	first, note, _ := strings.Cut(head, noteHeading)
	end, link := "", ""
	if d == message.DiscloseLocation {
		_, rest, _ = strings.Cut(rest, "](")
		link, _, _ = strings.Cut(rest, ")")
	} else {
		first = "You requested a reminder for a message that is no longer available to you."
	}
	if link != "" {
		end = "\n\n[The message](" + link + ") has been edited."
	}
	return withNote(first, note) + end, withNoteHTML(first, note) + linkHTML(link)
}

func withNote(first, note string) string {
	if note == "" {
		return first
	}
	return first + noteHeading + note
}

// withNoteHTML shows the note as plain text: it is rendered when the reminder is sent.
func withNoteHTML(first, note string) string {
	if note == "" {
		return "<p>" + html.EscapeString(first) + "</p>"
	}
	lines := strings.Split(note, noteLine)
	for i := range lines {
		lines[i] = html.EscapeString(lines[i])
	}
	return "<p>" + html.EscapeString(first) + " Note:</p>\n<blockquote>\n<p>" + strings.Join(lines, "<br>\n") +
		"</p>\n</blockquote>"
}

func linkHTML(link string) string {
	if link == "" {
		return ""
	}
	return "\n<p><a href=\"" + html.EscapeString(link) + "\">The message</a> has been edited.</p>"
}
