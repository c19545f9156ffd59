package channel

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// The limits of texts, in code points. /register tells them as max_stream_name_length and
// max_stream_description_length.
const (
	MaxName        = 60
	MaxDescription = 1024
)

// CheckName gives the name as it is stored: without outer whitespace. Errors: BadRequest for a name that is empty, too
// long, or has a character that can't be shown, whose 1-based position the message tells. A channel may have a name
// that is older than these rules.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", errs.Bad("Channel name can't be empty.")
	}
	if utf8.RuneCountInString(name) > MaxName {
		return "", errs.Bad("Channel name too long (limit: %d characters).", MaxName)
	}
	if pos := user.Unshown(name); pos > 0 {
		return "", errs.Bad("Invalid character in channel name, at position %d.", pos)
	}
	if !strings.ContainsFunc(name, user.Seen) {
		return "", errs.Bad("Channel name can't be empty.")
	}
	return name, nil
}

// oneLine leaves out all that Markdown takes for the end of a line: notices quote a description in one line, and what
// came after would be theirs.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// CheckDescription gives the description as it is stored: one line. Errors: BadRequest.
func CheckDescription(text string) (string, error) {
	if utf8.RuneCountInString(text) > MaxDescription {
		return "", errs.Bad("Channel description too long (limit: %d characters).", MaxDescription)
	}
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return "", errs.Bad("Invalid character in channel description.")
	}
	return oneLine.Replace(text), nil
}
