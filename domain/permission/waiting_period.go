package permission

import (
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// WaitingPeriod is a query for the time up to which users have been notified of members who became full members merely
// by the age of their accounts. Ask it inside Do. The result is Announced.
//
// Gains by a change are computed relative to that time, so that members who became full members since then are still
// notified. Losses are not, because queues registered since then started with the current state.
type WaitingPeriod struct {
	Changed *directory.Changed // the hook event, in hooks of directory.Changed; nil elsewhere
	View    *directory.View    // if Changed is nil: the view before the change, of a realm with a waiting period
}

// Announced is the result of WaitingPeriod. Upto is zero if no module records it.
type Announced struct{ Upto time.Time }

// View returns v as of the time up to which users have been notified.
func (a Announced) View(v *directory.View) *directory.View {
	if a.Upto.IsZero() || Waiting(v) == 0 {
		return v
	}
	return v.AsOf(v.Seq(), a.Upto)
}

// BecameFullMember is a hook event that runs in a commit, at most minutes late, when members complete the waiting
// period (channels: private channels that they can see now; groups: role:fullmembers; realm: settings that name a
// channel; bots: their defaults; topics: the list of muted ones). An error rolls it back; it runs again later.
type BecameFullMember struct {
	Realm         realm.ID
	Users         user.Set
	Before, After *directory.View // the current state as of the previous announcement, and as of now
}

// Waiting returns the waiting period in days after which members become full members, or 0 without one.
func Waiting(v *directory.View) int {
	if v.Realm() == nil {
		return 0
	}
	return v.Realm().Settings.WaitingPeriodThreshold
}

// AnnouncesFullMembers reports whether a change of roles, join dates, the waiting period or the privacy of channels
// requires pending notifications of new full members to be sent with it. Those sent later cover only users who are full
// members and channels that are private at that time.
func AnnouncesFullMembers(m *directory.Changed) bool {
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
