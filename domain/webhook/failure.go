package webhook

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// maxDetail is how many code points of a failure's detail its notice has at most.
const maxDetail = 2000

// Text is what the bot posts where it was called.
func (f FailureError) Text() string { return "Failure! " + f.Why }

// Notice is what the owner of the bot is told about a failed call. The detail is in a block of code, which it cannot
// end.
func (f FailureError) Notice(v *directory.View, bot *user.User, m *message.Visible) string {
	text := fmt.Sprintf("Your bot @_**%s|%d** could not answer [a message](%s). %s",
		bot.FullName, bot.ID, m.URL(v), f.Why)
	detail := message.Cut(strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(f.Detail, "\uFFFD"))), maxDetail)
	if detail == "" {
		return text
	}
	fence := message.Fence(detail)
	return fmt.Sprintf("%s\n\n%stext\n%s\n%s", text, fence, detail, fence)
}

// printable replaces control characters, which no client shows, and drops carriage returns.
func printable(r rune) rune {
	switch {
	case r == '\r':
		return -1
	case r != '\n' && r != '\t' && unicode.IsControl(r):
		return '\uFFFD'
	}
	return r
}
