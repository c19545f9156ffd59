package user

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// DeletedName is the name of users whose profile was deleted.
const DeletedName = "Deleted user"

// MaxComment is the maximum length of the comment sent to a deactivated user, in code points.
const MaxComment = 2000

// CheckComment refuses comments that are too long. Errors: BadRequest.
func CheckComment(text string) error {
	if utf8.RuneCountInString(text) > MaxComment {
		return errs.Bad("deactivation_notification_comment is too long (limit: %d characters)", MaxComment)
	}
	return nil
}

// Deletion selects the data of a user and their bots to delete on deactivation: the actions of DELETE /users/{user_id}.
type Deletion struct {
	Profile         bool
	PublicChannels  bool // messages they sent there
	PrivateChannels bool
	DirectMessages  bool // messages they sent, not received
}

// Messages reports whether any messages are to be deleted.
func (d Deletion) Messages() bool { return d.PublicChannels || d.PrivateChannels || d.DirectMessages }

// Any reports whether anything is to be deleted.
func (d Deletion) Any() bool { return d.Profile || d.Messages() }

// UnmarshalJSON parses the parameter strictly, since deletion can't be undone. Errors: BadRequest.
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
				"actions has an unknown key %.60q; valid keys are %s",
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

// WithoutProfile returns u without personal data: name, picture, time zone. The address stays, since it identifies
// the account, but becomes visible to administrators only. source is the realm's default source of avatars.
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

// Forgotten reports whether the account is deactivated and its profile deleted.
func (u *User) Forgotten() bool { return !u.Active && u.FullName == DeletedName }
