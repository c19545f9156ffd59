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

// subscriberLists determines which subscribers of a channel a response lists.
type subscriberLists struct {
	want  event.SubscriberList
	whole int      // channels with fewer subscribers are listed completely
	part  user.Set // users listed for other channels: bots and recently active users
}

// activePeriod is the period in which users must have been active to be listed as partial subscribers.
const activePeriod = 14 * 24 * time.Hour

// selectSubscribers returns the subscribers to list for a request. For partial subscribers, it lists all of them if the
// realm has too few users to shorten any list, or if no module records who was recently active.
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
