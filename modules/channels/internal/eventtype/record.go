package eventtype

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
)

// NewRecord returns the record of c as of v.
func NewRecord(v *directory.View, c *channel.Channel) channel.Record {
	return channel.NewRecord(c, len(v.Subscribers(c.ID)), v.Active())
}

// addSubscribers adds all subscribers to a record unless none were requested. Clients that request partial subscribers
// also accept all of them.
func addSubscribers(r *channel.Record, v *directory.View, want event.SubscriberList) {
	if want != event.NoSubscribers {
		all := []user.ID(v.Subscribers(r.ID)) // shared, must not be modified
		if all == nil {
			all = []user.ID{}
		}
		r.Subscribers = &all
	}
}
