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

// listing determines how an answer lists the subscribers of channels.
type listing struct {
	want  event.SubscriberList
	whole int      // channels with fewer subscribers list all of them
	part  user.Set // listed in other channels: bots and recently active users
}

// lately is how recently users must have been active to be listed in part of the subscribers.
const lately = 14 * 24 * time.Hour

// listing returns the listing for a request. If part of the subscribers is requested and a channel may have that many,
// it asks who was recently active. If no module knows, all subscribers are listed.
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
