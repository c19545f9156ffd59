package channel

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
)

// Topic policies, by wire name.
const (
	TopicsInherit   = "inherit"
	TopicsAllow     = "allow_empty_topic"
	TopicsDisable   = "disable_empty_topic"
	TopicsEmptyOnly = "empty_topic_only"
)

// Forever is the number of retention days that disables deletion.
const Forever = -1

// maxRetention is the maximum number of days, which clients store in 32 bits.
const maxRetention = 1<<31 - 1

// ParseTopicsPolicy parses a policy, as a bare word or as JSON. Errors: BadRequest.
func ParseTopicsPolicy(text string) (string, error) {
	p := unquote(text)
	if !slices.Contains([]string{TopicsInherit, TopicsAllow, TopicsDisable, TopicsEmptyOnly}, p) {
		return "", errs.Bad("Invalid topics_policy")
	}
	return p, nil
}

// ParseRetention parses message_retention_days, as bare text or as JSON: a positive number of days, realm_default (nil)
// or unlimited (Forever). Errors: BadRequest.
func ParseRetention(text string) (*int, error) {
	switch t := unquote(text); t {
	case "realm_default":
		return nil, nil
	case "unlimited":
		days := Forever
		return &days, nil
	default:
		days, err := strconv.Atoi(t)
		if err != nil || days <= 0 || days > maxRetention {
			return nil, errs.Bad("Bad value for 'message_retention_days'")
		}
		return &days, nil
	}
}

// unquote removes the quotes of a JSON string; other text is returned unchanged.
func unquote(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// Privacy determines who can access a channel and its history.
type Privacy struct{ Private, WebPublic, HistoryPublic bool }

// NewPrivacy returns the requested privacy. By default, history is public unless the channel is private. Errors:
// BadRequest for invalid combinations.
func NewPrivacy(private, webPublic bool, history *bool) (Privacy, error) {
	p := Privacy{private, webPublic, !private}
	if history != nil {
		p.HistoryPublic = *history
	}
	if p.WebPublic && p.Private || !p.Private && !p.HistoryPublic {
		return Privacy{}, errs.Bad("Invalid parameters")
	}
	return p, nil
}

// Privacy returns the channel's privacy.
func (c *Channel) Privacy() Privacy { return Privacy{c.Private, c.WebPublic, c.HistoryPublic} }

// CheckHistory refuses protected history together with a restriction on creating topics: users would have to choose
// among topics whose messages they cannot see. Errors: BadRequest with parameters.
func (c *Channel) CheckHistory() error {
	if c.HistoryPublic || c.Permissions["can_create_topic_group"].Equal(group.Named(group.Everyone)) {
		return nil
	}
	return errs.Bad("Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group").
		With("parameters", []string{"history_public_to_subscribers", "can_create_topic_group"})
}

// PostPolicy returns stream_post_policy, the older form of can_send_message_group: 1 everyone, 2 administrators, 3 full
// members, 4 moderators, and 1 for settings without a number.
func PostPolicy(s group.Setting) int {
	switch s.Normal().Group {
	case group.Administrators:
		return 2
	case group.FullMembers:
		return 3
	case group.Moderators:
		return 4
	}
	return 1
}
