package groups

import (
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/modules/kit"
)

const day = 24 * time.Hour

func (s *service) limit() quota.Limit {
	return quota.Limit{What: "user groups", Total: s.cfg.MaxPerRealm, Author: s.cfg.MaxPerAuthor}
}

// checkNew checks that the caller can create another group. Errors: BadRequest.
func (s *service) checkNew(v *directory.View, a kit.Actor) error {
	var now quota.Count
	me, since, today := v.Responsible(a.User), s.Clock.Now().Add(-day), 0
	for g := range v.Groups() {
		if g.System {
			continue
		}
		if !g.Deactivated {
			now.All++
		}
		if v.Responsible(g.Creator) != me {
			continue
		}
		now.Own++
		if g.Created.After(since) {
			today++
		}
	}
	l, role := s.limit(), permission.Role(v, a)
	if err := quota.AdmitToday(l.What, s.cfg.MaxDaily, role, today, 1); err != nil {
		return err
	}
	return l.Admit(role, now, 1)
}

// checkBack checks that the caller can reactivate a group, which counts toward its creator's share already. Errors:
// BadRequest.
func (s *service) checkBack(v *directory.View, a kit.Actor) error {
	var now quota.Count
	for g := range v.Groups() {
		if !g.System && !g.Deactivated {
			now.All++
		}
	}
	return s.limit().Admit(permission.Role(v, a), now, 1)
}
