package status

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type getReq struct {
	User user.ID `json:"user_id"`
}

type getRes struct {
	Status status.Shown `json:"status"`
}

// get handles GET /users/{user_id}/status. It also works for deactivated users. Errors: BadRequest.
func (s *service) get(ctx context.Context, a kit.Actor, in getReq) (getRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return getRes{}, err
	}
	u := v.User(in.User)
	if u == nil || !permission.Sees(v, v.User(a.User), in.User) {
		return getRes{}, errs.Bad("No such user")
	}
	now, err := s.rows.Of(ctx, a.Realm, in.User)
	if err != nil {
		return getRes{}, err
	}
	zulip, _, err := s.ZulipNames.Ask(ctx, realm.KnowsOnlyZulipNames{Agent: a.Agent})
	return getRes{now.Shown(away(u), zulip, false)}, err
}

// away reports whether a user hides their presence.
func away(u *user.User) bool { return !u.IsBot() && !u.Settings.PresenceEnabled }

type section struct {
	Statuses map[user.ID]status.Shown `json:"user_status"`
}

// section returns the module's section of /register: the statuses of all users that the caller can see. It includes
// deactivated users, since no event removes their status.
func (s *service) section(ctx context.Context, a kit.Actor, c event.Client) (section, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return section{}, err
	}
	all, err := s.rows.All(ctx, a.Realm)
	if err != nil {
		return section{}, err
	}
	out, me := section{map[user.ID]status.Shown{}}, v.User(a.User)
	for u := range v.Users() {
		shown := all[u.ID].Shown(away(u), c.ZulipNames, c.StatusEndTimes)
		if shown != (status.Shown{}) && permission.Sees(v, me, u.ID) {
			out.Statuses[u.ID] = shown
		}
	}
	return out, nil
}
