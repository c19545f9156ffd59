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

// subscriberLists determines which subscribers of a channel an answer lists.
type subscriberLists struct {
	want  event.SubscriberList
	whole int      // all subscribers are listed of channels with fewer subscribers
	part  user.Set // users listed for other channels: bots and recently active users
}

// activePeriod is the period in which a user must have been active to be listed among partial subscribers.
const activePeriod = 14 * 24 * time.Hour

// selectSubscribers returns the subscribers to list for a request. If the request asks for partial subscribers, but the
// realm has too few users to shorten any list or no module can tell who was recently active, all subscribers are
// listed.
func (s *service) selectSubscribers(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	want event.SubscriberList,
) (subscriberLists, error) {
	l := subscriberLists{want: want, whole: s.cfg.WholeLists}
	if want != event.PartialSubscribers || len(v.Active()) < l.whole {
		l.want = min(want, event.AllSubscribers)
		return l, nil
	}
	recent, known, err := s.RecentlyActive.Ask(ctx, user.RecentlyActive{Realm: r, Since: s.Clock.Now().Add(-activePeriod)})
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
