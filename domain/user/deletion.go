package user

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// DeletedName is what people and bots are called whose profile was deleted.
const DeletedName = "Deleted user"

// MaxComment is the most code points of what a person is told when the account is deactivated.
const MaxComment = 2000

// CheckComment refuses a comment that is too long. Errors: BadRequest.
func CheckComment(text string) error {
	if utf8.RuneCountInString(text) > MaxComment {
		return errs.Bad("deactivation_notification_comment is too long (limit: %d characters)", MaxComment)
	}
	return nil
}

// Deletion says what of a person, and of their bots, goes when the person is deactivated: the actions of DELETE
// /users/{user_id}.
type Deletion struct {
	Profile         bool
	PublicChannels  bool // what they have sent there
	PrivateChannels bool
	DirectMessages  bool // what they have sent, not what they were sent
}

// Messages tells whether any messages go.
func (d Deletion) Messages() bool { return d.PublicChannels || d.PrivateChannels || d.DirectMessages }

// Any tells whether anything goes.
func (d Deletion) Any() bool { return d.Profile || d.Messages() }

// UnmarshalJSON reads the parameter. What goes does not come back, so nothing in it is passed over. Errors: BadRequest.
func (d *Deletion) UnmarshalJSON(b []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(b, &given); err != nil {
		return errs.Bad("actions is not a dict")
	}
	*d = Deletion{}
	known := map[string]*bool{
		"delete_profile": &d.Profile, "delete_public_channel_messages": &d.PublicChannels,
		"delete_private_channel_messages": &d.PrivateChannels, "delete_direct_messages": &d.DirectMessages,
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		to := known[name]
		if to == nil {
			return errs.Bad(
				"actions has an unknown key %.60q; there are %s",
				name,
				strings.Join(slices.Sorted(maps.Keys(known)), ", "),
			)
		}
		if err := json.Unmarshal(given[name], to); err != nil {
			return errs.Bad("actions[%q] is not a boolean", name)
		}
	}
	return nil
}

// WithoutProfile gives u without what people tell of themselves: name, picture, time zone, and the address, which
// nobody but administrators sees from then on: it stays, since the account is known by it. source is where pictures
// come from in the realm unless people say otherwise.
func (u *User) WithoutProfile(source string) *User {
	now := *u
	now.FullName = DeletedName
	if u.Avatar != "" || u.AvatarSource != source {
		now.Avatar, now.AvatarSource = "", source
		now.AvatarVersion++
	}
	now.Settings.Timezone = ""
	if !u.IsBot() && u.Settings.EmailAddressVisibility != NobodySees {
		now.Settings.EmailAddressVisibility = AdminsSee
	}
	return &now
}

// Forgotten reports whether an account has ended and its profile was deleted.
func (u *User) Forgotten() bool { return !u.Active && u.FullName == DeletedName }
