package message

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// UserFlags is a message with its users' flags.
type UserFlags struct {
	Visible
	Flags map[user.ID]Flag
}

// Unread is a message with the users who can see it and have not read it, and their flags.
type Unread struct {
	UserFlags
	Users user.Set
}

// MentionedInHTML lists the mentions in a message's HTML, except silent ones: users, groups and wildcards.
type MentionedInHTML struct {
	Users   []user.ID  `json:"users,omitempty"`
	Groups  []group.ID `json:"groups,omitempty"`
	Channel bool       `json:"channel,omitempty"` // all subscribers
	Topic   bool       `json:"topic,omitempty"`   // the participants of the topic
}

// Any reports whether anyone is mentioned.
func (n MentionedInHTML) Any() bool {
	return len(n.Users) > 0 || len(n.Groups) > 0 || n.Channel || n.Topic
}

// Prefixes of mentions in the HTML. Silent mentions have other classes.
const (
	userMention  = `<span class="user-mention" data-user-id="`
	groupMention = `<span class="user-group-mention" data-user-group-id="`
	everyone     = `<span class="user-mention channel-wildcard-mention" data-user-id="*">`
	participants = `<span class="topic-mention">`
)

// MentionsIn returns the mentions in rendered content, without duplicates.
func MentionsIn(rendered string) MentionedInHTML {
	n := MentionedInHTML{Channel: strings.Contains(rendered, everyone), Topic: strings.Contains(rendered, participants)}
	for _, id := range numbersAfter(rendered, userMention) {
		n.Users = append(n.Users, user.ID(id))
	}
	for _, id := range numbersAfter(rendered, groupMention) {
		n.Groups = append(n.Groups, group.ID(id))
	}
	return n
}

// numbersAfter returns the numbers between each occurrence of a prefix and the next quotation mark, without duplicates.
func numbersAfter(text, prefix string) []int64 {
	var out []int64
	for {
		_, rest, found := strings.Cut(text, prefix)
		if !found {
			return out
		}
		number, after, _ := strings.Cut(rest, `"`)
		if id, err := strconv.ParseInt(number, 10, 64); err == nil && !slices.Contains(out, id) {
			out = append(out, id)
		}
		text = after
	}
}
