package topic

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// Visibility is a user's policy for a topic; the number is the wire value.
type Visibility int

// The policies. None means that the channel's setting applies.
const (
	None Visibility = iota
	Muted
	Unmuted
	Followed
)

// CheckVisibility refuses unknown policies. Errors: BadRequest.
func CheckVisibility(p Visibility) error {
	if p < None || p > Followed {
		return errs.Bad("Invalid visibility_policy")
	}
	return nil
}

// CheckNamed validates the name of an existing topic. Unlike the topic of a new message it is not truncated, since
// that would name another topic. Errors: BadRequest.
func CheckNamed(sent string) (string, error) {
	if utf8.RuneCountInString(strings.TrimSpace(sent)) > MaxLength {
		return "", errs.Bad("topic is too long (limit: %d characters)", MaxLength)
	}
	return Clean(sent)
}
