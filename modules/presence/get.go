package presence

import (
	"context"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type getReq struct {
	User string `json:"user_id"` // or email address
}

type getRes struct {
	Presence struct {
		*presence.Seen                  // nil for strict clients, which know only the keys below
		Website        presence.Summary `json:"website"`
		Aggregated     presence.Summary `json:"aggregated"`
	} `json:"presence"`
	At float64 `json:"server_timestamp"`
}

// get handles GET /users/{user_id_or_email}/presence. Errors: BadRequest. The error is the same for users who do not
// exist, are deactivated, or are hidden from the caller.
func (s *service) get(ctx context.Context, a kit.Actor, in getReq) (getRes, error) {
	var res getRes
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return res, err
	}
	u := find(v, me, in.User)
	switch {
	case u == nil || !u.Active:
		return res, errs.Bad("No such user")
	case u.IsBot():
		return res, errs.Bad("Presence is not supported for bot users.")
	}
	rows, err := s.rows.Of(ctx, u.ID)
	if err != nil {
		return res, err
	}
	if len(rows) == 0 || !enabled(v) {
		return res, errs.Bad("No presence data for %s", in.User)
	}
	now := s.Clock.Now()
	seen := rows[0].times().Seen(u.Joined)
	res.Presence.Website, res.Presence.Aggregated, res.At = seen.Summary(), seen.Current(now), seconds(now)
	strict, _, err := s.Strict.Ask(ctx, event.Strict{ClientName: a.Client})
	if !strict {
		res.Presence.Seen = &seen
	}
	return res, err
}

// find returns the user with an ID or email address, or nil if the reader cannot see such a user.
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
