package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// users is the section realm_user of /register: all users, and data about the caller.
type users struct {
	Users     *list `json:"realm_users"`
	Inactive  *list `json:"realm_non_active_users"`
	CrossBots *list `json:"cross_realm_bots"`

	UserID          user.ID `json:"user_id" forms:"integer" doc:"The ID of the caller; 0: not logged in."`
	Email           string  `json:"email"`
	DeliveryEmail   string  `json:"delivery_email"`
	FullName        string  `json:"full_name"`
	AvatarURL       string  `json:"avatar_url"`
	AvatarURLMedium string  `json:"avatar_url_medium"`
	AvatarSource    string  `json:"avatar_source"`
	IsOwner         bool    `json:"is_owner"`
	IsAdmin         bool    `json:"is_admin"`
	IsModerator     bool    `json:"is_moderator"`
	IsGuest         bool    `json:"is_guest"`

	CreatesStreams          bool `json:"can_create_streams"`
	CreatesPublicStreams    bool `json:"can_create_public_streams"`
	CreatesPrivateStreams   bool `json:"can_create_private_streams"`
	CreatesWebPublicStreams bool `json:"can_create_web_public_streams"`
	Invites                 bool `json:"can_invite_others_to_realm"`
	SubscribesOthers        bool `json:"can_subscribe_other_users"`
}

func (s *service) usersSection(ctx context.Context, a kit.Actor, c event.Client) (users, error) {
	if a.User == 0 {
		return s.usersForSpectators(ctx, a)
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return users{}, err
	}
	h := format{gravatar: c.ClientGravatar, profile: true}
	if h.profiles, err = s.profiles(ctx, a.Realm, nil); err != nil {
		return users{}, err
	}
	out := users{
		Users:     newList(v, me, h),
		Inactive:  newList(v, me, h),
		CrossBots: newList(v, me, format{gravatar: c.ClientGravatar, active: true}),
	}
	out.Users.users = make([]shown, 0, len(v.Active()))
	for u := range v.Users() {
		sees, to := permission.Sees(v, me, u.ID), out.Users
		switch {
		case u.System:
			sees, to = true, out.CrossBots
		case sees && !u.Active:
			to = out.Inactive
		case !sees && c.UserListIncomplete:
			continue
		}
		to.users = append(to.users, shown{u, !sees})
	}
	out.describeCaller(v, me)
	return out, nil
}

// describeCaller sets the keys that describe the caller.
func (out *users) describeCaller(v *directory.View, me *user.User) {
	out.UserID, out.FullName = me.ID, me.FullName
	out.Email, out.DeliveryEmail = permission.APIEmail(v, me), me.DeliveryEmail
	out.AvatarURL, out.AvatarURLMedium = me.AvatarURL(domainOf(v), false), me.AvatarURL(domainOf(v), true)
	out.AvatarSource = me.AvatarSource
	out.IsOwner, out.IsAdmin, out.IsModerator, out.IsGuest = me.Role == user.Owner, me.IsAdmin(),
		me.Role <= user.Moderator, me.IsGuest()

	out.CreatesPublicStreams = permission.Holds(v, me.ID, "can_create_public_channel_group")
	out.CreatesPrivateStreams = permission.Holds(v, me.ID, "can_create_private_channel_group")
	out.CreatesStreams = out.CreatesPublicStreams || out.CreatesPrivateStreams
	out.CreatesWebPublicStreams = v.Realm().Settings.EnableSpectatorAccess &&
		permission.Holds(v, me.ID, "can_create_web_public_channel_group")
	out.Invites = permission.Holds(v, me.ID, "can_invite_users_group")
	out.SubscribesOthers = permission.Holds(v, me.ID, "can_add_subscribers_group")
}
