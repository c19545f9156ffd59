package user_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

func TestDeletion(t *testing.T) {
	for text, want := range map[string]user.Deletion{
		`{}`:                       {},
		`{"delete_profile":true}`:  {Profile: true},
		`{"delete_profile":false}`: {},
		`{"delete_profile":null,"delete_direct_messages":true}`: {DirectMessages: true},
		`{"delete_public_channel_messages":true}`:               {PublicChannels: true},
		`{"delete_private_channel_messages":true,"delete_direct_messages":true}`: {PrivateChannels: true,
			DirectMessages: true},
	} {
		got := user.Deletion{Profile: true}
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`[]`:                                `actions is not a dict`,
		`true`:                              `actions is not a dict`,
		`{"delete_profile":1}`:              `actions["delete_profile"] is not a boolean`,
		`{"delete_direct_messages":"true"}`: `actions["delete_direct_messages"] is not a boolean`,
		`{"delete_profile":true,"delete_all":true}`: `actions has an unknown key "delete_all"; valid keys are ` +
			`delete_direct_messages, ` +
			`delete_private_channel_messages, delete_profile, delete_public_channel_messages`,
		`{"Delete_profile":true}`: `actions has an unknown key "Delete_profile"; valid keys are delete_direct_messages, ` +
			`delete_private_channel_messages, delete_profile, delete_public_channel_messages`,
	} {
		var d user.Deletion
		err := d.UnmarshalJSON([]byte(text))
		if !errs.Is(err, errs.BadRequest) || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if (user.Deletion{}).Any() || !(user.Deletion{Profile: true}).Any() || (user.Deletion{Profile: true}).Messages() ||
		!(user.Deletion{DirectMessages: true}).Messages() {
		t.Error("Any, Messages")
	}
}

func TestCheckComment(t *testing.T) {
	if err := user.CheckComment(strings.Repeat("ä", 2000)); err != nil {
		t.Error(err)
	}
	if err := user.CheckComment(strings.Repeat("ä", 2001)); !errs.Is(err, errs.BadRequest) {
		t.Error(err)
	}
}

func TestWithoutProfile(t *testing.T) {
	person := func(change func(*user.User)) user.User {
		u := user.User{
			ID: 7, DeliveryEmail: "eve@example.com", FullName: "Eve", Role: user.Member, Active: true,
			AvatarSource: user.Gravatar, AvatarVersion: 3,
			Settings: user.Settings{EmailAddressVisibility: user.EveryoneSees},
		}
		change(&u)
		return u
	}
	gone := func(change func(*user.User)) user.User {
		return person(func(u *user.User) {
			u.FullName, u.Settings.EmailAddressVisibility = "Deleted user", user.AdminsSee
			change(u)
		})
	}
	same := func(*user.User) {}
	for name, c := range map[string]struct{ is, want user.User }{
		"name and address": {person(same), gone(same)},
		"picture": {
			person(func(u *user.User) { u.Avatar, u.AvatarSource = "/a/b.png", user.Uploaded }),
			gone(func(u *user.User) { u.AvatarVersion = 4 }),
		},
		"avatar from another source": {
			person(func(u *user.User) { u.AvatarSource = user.Generated }), gone(func(u *user.User) { u.AvatarVersion = 4 }),
		},
		"time zone": {person(func(u *user.User) { u.Settings.Timezone = "Europe/Rome" }), gone(same)},
		"hidden address": {
			person(func(u *user.User) { u.Settings.EmailAddressVisibility = user.NobodySees }),
			gone(func(u *user.User) { u.Settings.EmailAddressVisibility = user.NobodySees }),
		},
		"address for moderators": {person(func(u *user.User) { u.Settings.EmailAddressVisibility = user.ModeratorsSee }),
			gone(same)},
		"bot": {
			person(func(u *user.User) { u.BotType = user.GenericBot }),
			gone(func(u *user.User) { u.BotType, u.Settings.EmailAddressVisibility = user.GenericBot, user.EveryoneSees }),
		},
	} {
		was, now := c.is, c.is.WithoutProfile(user.Gravatar)
		if text(*now) != text(c.want) {
			t.Errorf("%s: %s, want %s", name, text(*now), text(c.want))
		}
		if text(was) != text(c.is) {
			t.Errorf("%s: the old record was modified", name)
		}
	}
}

// text formats a user for comparison.
func text(u user.User) string {
	b, _ := json.Marshal(u)
	return string(b)
}
