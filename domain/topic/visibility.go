package topic

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// Visibility is what somebody has set for one topic; the number is the wire value.
type Visibility int

// The policies. None is as the channel is.
const (
	None Visibility = iota
	Muted
	Unmuted
	Followed
)

// CheckVisibility refuses what is no policy. Errors: BadRequest.
func CheckVisibility(p Visibility) error {
	if p < None || p > Followed {
		return errs.Bad("Invalid visibility_policy")
	}
	return nil
}

// CheckNamed gives the topic that a client names to set something for it. Unlike the topic of a new message it is not
// cut: the cut name would be another topic. Errors: BadRequest.
func CheckNamed(sent string) (string, error) {
	if utf8.RuneCountInString(strings.TrimSpace(sent)) > MaxLength {
		return "", errs.Bad("topic is too long (limit: %d characters)", MaxLength)
	}
	return Clean(sent)
}
