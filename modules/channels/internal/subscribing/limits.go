package subscribing

import (
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/user"
)

// day is the period of the limit on the number of channels created by one user.
const day = 24 * time.Hour

// existing counts the channels that limit how many more a user can create.
type existing struct {
	role  user.Role
	now   quota.Count
	today int // created by the user and the user's bots within the last day
}

func (s *Service) count(v *directory.View, a user.Actor) existing {
	e := existing{role: permission.Role(v, a)}
	author, since := v.Responsible(a.User), s.Clock.Now().Add(-day)
	for c := range v.Channels() {
		if !c.Archived {
			e.now.All++
		}
		if v.Responsible(c.Creator) != author {
			continue
		}
		e.now.Own++
		if c.Created.After(since) {
			e.today++
		}
	}
	return e
}

func (l Limits) total() quota.Limit {
	return quota.Limit{What: "channels", Total: l.MaxPerRealm, Author: l.MaxPerAuthor}
}

// admit checks that the user can create more channels. Errors: BadRequest.
func (l Limits) admit(e existing, more int) error {
	if err := quota.AdmitToday("channels", l.MaxDaily, e.role, e.today, more); err != nil {
		return err
	}
	return l.total().Admit(e.role, e.now, more)
}

// AdmitUnarchived checks that the user can unarchive a channel, which counts toward its creator's share already.
// Errors: BadRequest.
func (s *Service) AdmitUnarchived(v *directory.View, a user.Actor) error {
	e := s.count(v, a)
	return s.Limits.total().Admit(e.role, quota.Count{All: e.now.All}, 1)
}
