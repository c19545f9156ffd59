package channel

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
)

// The policies for topics; the wire names.
const (
	TopicsInherit   = "inherit"
	TopicsAllow     = "allow_empty_topic"
	TopicsDisable   = "disable_empty_topic"
	TopicsEmptyOnly = "empty_topic_only"
)

// Forever is the number of retention days that means never to delete.
const Forever = -1

// maxRetention bounds the number of days to what clients hold in 32 bits.
const maxRetention = 1<<31 - 1

// ParseTopicsPolicy reads a policy, as a bare word or as JSON text. Errors: BadRequest.
func ParseTopicsPolicy(text string) (string, error) {
	p := unquote(text)
	if !slices.Contains([]string{TopicsInherit, TopicsAllow, TopicsDisable, TopicsEmptyOnly}, p) {
		return "", errs.Bad("Invalid topics_policy")
	}
	return p, nil
}

// ParseRetention reads message_retention_days, as bare text or as JSON text: a positive number of days, realm_default
// (nil) or unlimited (Forever). Errors: BadRequest.
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

// unquote takes the quotes off a JSON string; other text stays as it is.
func unquote(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// Privacy is who may see a channel and its history.
type Privacy struct{ Private, WebPublic, HistoryPublic bool }

// NewPrivacy gives the privacy that was asked for; without a wish for the history it is public unless the channel is
// private. Errors: BadRequest for the combinations that do not exist.
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

// Privacy gives the channel's privacy.
func (c *Channel) Privacy() Privacy { return Privacy{c.Private, c.WebPublic, c.HistoryPublic} }

// CheckHistory refuses protected history together with a limit on who may make topics: a person would need to know of
// the topics of messages that they may not see. Errors: BadRequest with parameters.
func (c *Channel) CheckHistory() error {
	if c.HistoryPublic || c.Permissions["can_create_topic_group"].Equal(group.Named(group.Everyone)) {
		return nil
	}
	return errs.Bad("Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group").
		With("parameters", []string{"history_public_to_subscribers", "can_create_topic_group"})
}

// PostPolicy gives stream_post_policy, the older form of can_send_message_group: 1 everyone, 2 administrators, 3 full
// members, 4 moderators, and 1 for what it has no number for.
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
