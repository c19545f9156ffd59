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

type listRes struct {
	Members []person `json:"members"`
}

// list gives the users that the caller may see, deactivated ones too; the server's own bots are not among them.
func (s *service) list(ctx context.Context, a kit.Actor, in listReq) (listRes, error) {
	v, me, err := s.caller(ctx, a)
	if err != nil {
		return listRes{}, err
	}
	h := how{gravatar: in.ClientGravatar, profile: in.Profile, active: true}
	res := listRes{Members: []person{}}
	add := func(u *user.User) {
		if u != nil && !u.System && permission.Sees(v, me, u.ID) {
			res.Members = append(res.Members, record(v, me, u, h))
		}
	}
	if in.UserIDs == nil {
		for u := range v.Users() {
			add(u)
		}
		return res, nil
	}
	seen := map[user.ID]bool{}
	for _, id := range *in.UserIDs {
		if !seen[id] {
			seen[id] = true
			add(v.User(id))
		}
	}
	return res, nil
}

type getReq struct {
	User           string `json:"user_id"` // or e-mail
	ClientGravatar bool   `json:"client_gravatar" default:"true"`
	Profile        bool   `json:"include_custom_profile_fields" default:"false"`
}

type getRes struct {
	User person `json:"user"`
}

func (s *service) get(ctx context.Context, a kit.Actor, in getReq) (getRes, error) {
	v, me, err := s.caller(ctx, a)
	if err != nil {
		return getRes{}, err
	}
	u := find(v, me, in.User)
	if u == nil {
		return getRes{}, noSuchUser()
	}
	return getRes{record(v, me, u, how{gravatar: in.ClientGravatar, profile: in.Profile, active: true})}, nil
}

// find gives the user that a path names by id or e-mail, nil if the reader may not know of such a one.
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
	v, me, err := s.caller(ctx, a)
	if err != nil {
		return meRes{}, err
	}
	moment := &user.Introducing{Realm: a.Realm, User: a.User, MaxMessage: -1}
	if err := s.Hooks.Run(ctx, moment); err != nil {
		return meRes{}, err
	}
	return meRes{record(v, me, me, how{profile: true, active: true}), moment.MaxMessage}, nil
}
