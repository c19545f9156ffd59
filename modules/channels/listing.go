package channels

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// listing says how one answer lists the subscribers of its channels.
type listing struct {
	want  event.SubscriberList
	whole int      // a channel with fewer subscribers is listed in full
	part  user.Set // of the others: bots, and who was there lately
}

// lately is how long ago somebody was there who is listed in part of the subscribers.
const lately = 14 * 24 * time.Hour

// listing finds out who is in part of the subscribers, if that was asked for and any channel has so many. Where nobody
// knows who was there, everybody is listed.
func (s *service) listing(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	want event.SubscriberList,
) (listing, error) {
	l := listing{want: want, whole: s.cfg.WholeLists}
	if want != event.PartialSubscribers || len(v.Active()) < l.whole {
		l.want = min(want, event.AllSubscribers)
		return l, nil
	}
	recent, known, err := s.RecentlyActive.Ask(ctx, user.RecentlyActive{Realm: r, Since: s.Clock.Now().Add(-lately)})
	if err != nil {
		return l, err
	}
	if !known {
		l.want = event.AllSubscribers
		return l, nil
	}
	var bots []user.ID
	for _, id := range v.Active() {
		if v.User(id).IsBot() {
			bots = append(bots, id)
		}
	}
	l.part = recent.Union(idset.Of(bots...))
	return l, nil
}
