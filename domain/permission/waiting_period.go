package permission

import (
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
)

// WaitingPeriod is a moment: it asks up to when the people of a realm have been told of those who became full members by
// time alone. What others gain by a change goes on from there: nobody is left untold because they became one since
// then. What they lose does not: a queue that was begun since then began with the fact.
type WaitingPeriod struct {
	Realm   realm.ID
	Changed *directory.Changed // the change before which it was so
	Upto    time.Time
	Known   bool // somebody tells of it
}

// Told gives a view as people have been told of it.
func (r *WaitingPeriod) Told(v *directory.View) *directory.View {
	if !r.Known || Waiting(v) == 0 {
		return v
	}
	return v.AsOf(v.Seq(), r.Upto)
}

// Waiting gives after how many days members become full ones, 0 where they are from the beginning.
func Waiting(v *directory.View) int {
	if v.Realm() == nil {
		return 0
	}
	return v.Realm().Settings.WaitingPeriodThreshold
}

// Overtakes tells whether by a change some know of a channel, or may not, for another reason than time: by a role, by
// when they joined, by the waiting period, or since the channel is private no more. What came by time is told later of
// full members and private channels alone: so the change tells of that too.
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
