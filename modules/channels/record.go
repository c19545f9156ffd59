package channels

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
)

// newRecord gives the record of c as of v.
func newRecord(v *directory.View, c *channel.Channel) channel.Record {
	return channel.NewRecord(c, len(v.Subscribers(c.ID)), v.Active())
}

// addSubscribers puts the subscribers into a record, if they were asked for: all of them. Who asked for a part may be
// given all as well.
func addSubscribers(r *channel.Record, v *directory.View, want event.SubscriberList) {
	if want != event.NoSubscribers {
		all := []user.ID(v.Subscribers(r.ID)) // shared: nobody writes to it
		if all == nil {
			all = []user.ID{}
		}
		r.Subscribers = &all
	}
}

// sortByName puts channels into the order of answers.
func sortByName(all []*channel.Channel) {
	slices.SortFunc(
		all,
		func(a, b *channel.Channel) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) },
	)
}
