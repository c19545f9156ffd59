package accounts

import (
	"context"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type listReq struct {
	ClientGravatar bool       `json:"client_gravatar" default:"true"`
	Profile        bool       `json:"include_custom_profile_fields" default:"false"`
	UserIDs        *[]user.ID `json:"user_ids"`
}

// list handles GET /users. It returns the users whom the caller can see, including deactivated ones, but not system
// bots.
func (s *service) list(ctx context.Context, a kit.Actor, in listReq) (kit.Object, error) {
	if a.User == 0 {
		return s.listForSpectators(ctx, a, in)
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return nil, err
	}
	h := format{gravatar: in.ClientGravatar, profile: in.Profile, active: true}
	all := listed(v, me, in.UserIDs)
	if in.Profile {
		if h.profiles, err = s.profiles(ctx, a.Realm, requestedIDs(all, in.UserIDs)); err != nil {
			return nil, err
		}
	}
	return kit.Object{"members": kit.Compressible(newList(v, me, h, all...))}, nil
}

// listed returns the requested users whom the reader can see, without duplicates. If asked is nil, all users are
// requested.
func listed(v *directory.View, reader *user.User, asked *[]user.ID) []shown {
	var out []shown
	add := func(u *user.User) {
		if u != nil && !u.System && permission.Sees(v, reader, u.ID) {
			out = append(out, shown{User: u})
		}
	}
	if asked == nil {
		for u := range v.Users() {
			add(u)
		}
		return out
	}
	seen := map[user.ID]bool{}
	for _, id := range *asked {
		if !seen[id] {
			seen[id] = true
			add(v.User(id))
		}
	}
	return out
}

// requestedIDs returns the IDs of the users in all, or nil if all users were requested.
func requestedIDs(all []shown, asked *[]user.ID) []user.ID {
	if asked == nil {
		return nil
	}
	ids := make([]user.ID, len(all))
	for i, u := range all {
		ids[i] = u.ID
	}
	return ids
}

type getReq struct {
	User           string `json:"user_id"` // or an email address
	ClientGravatar bool   `json:"client_gravatar" default:"true"`
	Profile        bool   `json:"include_custom_profile_fields" default:"false"`
}

type getRes struct {
	User person `json:"user"`
}

func (s *service) get(ctx context.Context, a kit.Actor, in getReq) (getRes, error) {
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return getRes{}, err
	}
	u := find(v, me, in.User)
	if u == nil {
		return getRes{}, errNoSuchUser()
	}
	h := format{gravatar: in.ClientGravatar, profile: in.Profile, active: true}
	if in.Profile {
		if h.profiles, err = s.profiles(ctx, a.Realm, []user.ID{u.ID}); err != nil {
			return getRes{}, err
		}
	}
	return getRes{record(v, me, u, h)}, nil
}

// find returns the user whose ID or email address is name, or nil if there is none whom the reader can see.
func find(v *directory.View, reader *user.User, name string) *user.User {
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil {
		return permission.ByEmail(v, reader, name)
	}
	if !permission.Sees(v, reader, user.ID(id)) {
		return nil
	}
	return v.User(user.ID(id))
}

type meRes struct {
	person
	MaxMessageID int64 `json:"max_message_id"`
}

func (s *service) me(ctx context.Context, a kit.Actor, _ kit.None) (meRes, error) {
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return meRes{}, err
	}
	newest, known, err := s.NewestMessage.Ask(ctx, user.NewestMessage{Realm: a.Realm, User: a.User})
	if err != nil {
		return meRes{}, err
	}
	if !known {
		newest = user.NoMessage
	}
	profiles, err := s.profiles(ctx, a.Realm, []user.ID{a.User})
	return meRes{record(v, me, me, format{profile: true, active: true, profiles: profiles}), newest}, err
}
