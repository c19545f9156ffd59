package permission

import (
	"time"

	"github.com/stoachat/stoa/domain/directory"
)

// WaitingPeriod asks, in a hook of directory.Changed, up to when members were notified of who became a full member
// through time alone, before the change. The answer is Announced.
//
// What users gain through a change is computed from there, so that someone who became a full member since then is
// still notified. What they lose is not: a queue registered since then started with the current facts.
type WaitingPeriod struct{ Changed *directory.Changed }

// Announced is the time up to which members were notified of who became a full member through time alone. Zero: no
// module keeps track.
type Announced struct{ Upto time.Time }

// View returns the facts of v as members were last notified of them.
func (a Announced) View(v *directory.View) *directory.View {
	if a.Upto.IsZero() || Waiting(v) == 0 {
		return v
	}
	return v.AsOf(v.Seq(), a.Upto)
}

// Waiting returns the days after which members become full members, 0 without a waiting period.
func Waiting(v *directory.View) int {
	if v.Realm() == nil {
		return 0
	}
	return v.Realm().Settings.WaitingPeriodThreshold
}

// Overtakes reports whether a change affects metadata access to channels in ways that interact with the waiting period:
// by roles, join dates, the period itself, or channels that become public. What follows from time is announced later
// only for full members and private channels, so such a change announces it too.
func Overtakes(m *directory.Changed) bool {
	if Waiting(m.Before) != Waiting(m.After) {
		return true
	}
	if Waiting(m.Before) == 0 {
		return false
	}
	for _, c := range m.Changes {
		switch u, ch := c.User, c.Channel; {
		case u != nil && u.Old != nil && u.New != nil && (u.Old.Role != u.New.Role || !u.Old.Joined.Equal(u.New.Joined)),
			ch != nil && ch.Old != nil && ch.New != nil && ch.Old.Private && !ch.New.Private:
			return true
		}
	}
	return false
}
