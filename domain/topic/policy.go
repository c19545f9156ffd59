package topic

import "github.com/stoachat/stoa/domain/errs"

// The policies of channels and realms for the empty topic (topics_policy).
const (
	Inherit      = "inherit" // for channels: use the realm's policy
	AllowEmpty   = "allow_empty_topic"
	DisableEmpty = "disable_empty_topic"
	OnlyEmpty    = "empty_topic_only"
)

// CheckPolicy refuses topic names that the channel's policy, or the realm's if inherited, does not allow. Errors:
// BadRequest.
func CheckPolicy(ofChannel, ofRealm, name string) error {
	policy := ofChannel
	if policy == Inherit || policy == "" {
		policy = ofRealm
	}
	switch {
	case policy == DisableEmpty && name == "":
		return errs.Bad("Sending messages to the general chat is not allowed in this channel.")
	case policy == OnlyEmpty && name != "":
		return errs.Bad("Only the general chat topic is allowed in this channel.")
	}
	return nil
}
