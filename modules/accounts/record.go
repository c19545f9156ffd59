package accounts

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// person is a user as sent to clients.
type person struct {
	common
	DeliveryEmail *string `json:"delivery_email"` // null: the reader cannot see it
	AvatarURL     *string `json:"avatar_url"`
	IsActive      *bool   `json:"is_active,omitempty"`
	ProfileData   profile `json:"profile_data,omitempty"`
}

// common holds the keys of a record that are the same for all readers.
type common struct {
	UserID        user.ID      `json:"user_id"`
	Email         string       `json:"email"`
	FullName      string       `json:"full_name"`
	DateJoined    string       `json:"date_joined"`
	IsOwner       bool         `json:"is_owner"`
	IsAdmin       bool         `json:"is_admin"`
	IsGuest       bool         `json:"is_guest"`
	IsBot         bool         `json:"is_bot"`
	BotType       user.BotType `json:"bot_type,omitempty"`
	BotOwner      botOwner     `json:"bot_owner_id,omitzero"`
	Role          user.Role    `json:"role"`
	Timezone      *string      `json:"timezone,omitempty"` // omitted for spectators
	AvatarVersion int          `json:"avatar_version"`
	IsSystemBot   bool         `json:"is_system_bot,omitempty"`
	IsImported    *bool        `json:"is_imported_stub,omitempty"` // always false; some clients require the key
}

// profile is an encoded profilefield.Profile: the values of a user's custom profile fields.
type profile = json.RawMessage

// botOwner is the value of bot_owner_id, which is omitted for people and null for bots without an owner.
type botOwner struct {
	bot   bool
	owner user.ID
}

// IsZero reports whether the key is omitted; see encoding/json.
func (o botOwner) IsZero() bool { return !o.bot }

// MarshalJSON implements json.Marshaler.
func (o botOwner) MarshalJSON() ([]byte, error) {
	if o.owner == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(o.owner)
}

// format holds the parameters that determine the format of a record.
type format struct {
	gravatar bool // avatar_url is null if clients can compute the URL
	profile  bool // include profile_data
	active   bool // include is_active

	profiles map[user.ID]profile // values of profile_data
}

// dateLayout is ISO 8601 with minutes and a time zone offset.
const dateLayout = "2006-01-02T15:04-07:00"

func joinedText(u *user.User) string { return u.Joined.UTC().Format(dateLayout) }

// record returns u as reader sees them. Only record and list.append decide whether delivery_email is visible.
func record(v *directory.View, reader, u *user.User, h format) person {
	p := person{common: commonFields(v, u), AvatarURL: permission.AvatarURL(v, u, h.gravatar)}
	if permission.SeesEmail(reader, u) {
		p.DeliveryEmail = &u.DeliveryEmail
	}
	if h.active {
		p.IsActive = &u.Active
	}
	if h.profile && !u.IsBot() {
		p.ProfileData = h.profileOf(u)
	}
	return p
}

// commonFields returns the keys of u's record that are the same for all readers. They depend only on u and the realm's
// mail domain.
func commonFields(v *directory.View, u *user.User) common {
	return common{
		UserID: u.ID, Email: permission.APIEmail(v, u), FullName: u.FullName, DateJoined: joinedText(u),
		IsOwner: u.Role == user.Owner, IsAdmin: u.IsAdmin(), IsGuest: u.IsGuest(), IsBot: u.IsBot(), BotType: u.BotType,
		BotOwner: botOwner{u.IsBot(), u.BotOwner}, Role: u.Role, Timezone: &u.Settings.Timezone,
		AvatarVersion: u.AvatarVersion, IsSystemBot: u.System, IsImported: new(bool),
	}
}

// profileOf returns u's profile; an empty object if u has none.
func (h format) profileOf(u *user.User) profile {
	if p := h.profiles[u.ID]; p != nil {
		return p
	}
	return profile("{}")
}

// profiles returns the custom profile fields of the given users, or of all users if us is nil. Without the module that
// stores the fields, the result is empty.
func (s *service) profiles(ctx context.Context, r realm.ID, us []user.ID) (map[user.ID]profile, error) {
	all, _, err := s.Profiles.Ask(ctx, profilefield.ProfilesOf{Realm: r, Users: us})
	return all, err
}

// unknown returns a record without personal data. Clients that need a record for every ID receive it for users whom the
// reader cannot see.
func unknown(v *directory.View, u *user.User, h format) person {
	h.profiles = nil
	p := record(v, nil, permission.Stranger(u.ID), h)
	p.DateJoined = "1970-01-01T00:00+00:00"
	return p
}

// ownRecord answers user.RecordOf.
func (s *service) ownRecord(ctx context.Context, q user.RecordOf) (user.Record, error) {
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return nil, err
	}
	u := v.User(q.User)
	if u == nil {
		return nil, errNoSuchUser()
	}
	return json.Marshal(record(v, u, u, format{active: true}))
}
