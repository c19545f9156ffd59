package channel

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Maximum lengths in code points. /register returns them as max_stream_name_length and max_stream_description_length.
const (
	MaxName        = 60
	MaxDescription = 1024
)

// CheckName validates a channel's name and returns it without surrounding whitespace. Errors: BadRequest for names that
// are empty, too long, or contain an invisible character; the message states its 1-based position. Names of existing
// channels may predate these rules.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", errs.Bad("Channel name can't be empty.")
	}
	if utf8.RuneCountInString(name) > MaxName {
		return "", errs.Bad("Channel name too long (limit: %d characters).", MaxName)
	}
	if pos := user.FirstInvisible(name); pos > 0 {
		return "", errs.Bad("Invalid character in channel name, at position %d.", pos)
	}
	if !strings.ContainsFunc(name, user.IsVisible) {
		return "", errs.Bad("Channel name can't be empty.")
	}
	return name, nil
}

// oneLine replaces everything that Markdown treats as a line break: notices quote descriptions in one line, and text
// after a break would look like part of the notice.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// CheckDescription validates a description and returns its stored form, a single line. Errors: BadRequest.
func CheckDescription(text string) (string, error) {
	if utf8.RuneCountInString(text) > MaxDescription {
		return "", errs.Bad("Channel description too long (limit: %d characters).", MaxDescription)
	}
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return "", errs.Bad("Invalid character in channel description.")
	}
	return oneLine.Replace(text), nil
}
