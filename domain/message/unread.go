package message

import (
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// UsersByMessage groups the users in rows by message, for ports.Receivers.
func UsersByMessage[T any](rows []T, of func(T) (ID, user.ID)) map[ID]user.Set {
	listed := map[ID][]user.ID{}
	for _, row := range rows {
		m, u := of(row)
		listed[m] = append(listed[m], u)
	}
	sets := make(map[ID]user.Set, len(listed))
	for m, us := range listed {
		sets[m] = idset.Of(us...)
	}
	return sets
}

// UnreadByID returns pointers to the elements of all by message ID.
func UnreadByID(all []Unread) map[ID]*Unread {
	out := make(map[ID]*Unread, len(all))
	for i := range all {
		out[all[i].ID] = &all[i]
	}
	return out
}
