package webhook

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// maxDetail is the maximum length of the detail in a failure notice, in code points.
const maxDetail = 2000

// Text returns the bot's message in the conversation.
func (f FailureError) Text() string { return "Failure! " + f.Why }

// Notice returns the message to the bot's owner about a failed call. The detail is in a code block that it can't end.
func (f FailureError) Notice(v *directory.View, bot *user.User, m *message.Visible) string {
	text := fmt.Sprintf("Your bot @_**%s|%d** could not answer [a message](%s). %s",
		bot.FullName, bot.ID, m.URL(v), f.Why)
	detail := message.Cut(strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(f.Detail, "\uFFFD"))), maxDetail)
	if detail == "" {
		return text
	}
	return text + "\n\n" + message.Enclose("text", detail, 4*maxDetail)
}

// printable replaces control characters, which clients don't show, and drops carriage returns.
func printable(r rune) rune {
	switch {
	case r == '\r':
		return -1
	case r != '\n' && r != '\t' && unicode.IsControl(r):
		return '\uFFFD'
	}
	return r
}
