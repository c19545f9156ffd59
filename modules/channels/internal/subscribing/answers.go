package subscribing

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/readstate"
)

// mutedPlaces answers [readstate.MutedPlaces] with the channels that a user has muted.
func (s *Service) mutedPlaces(ctx context.Context, q readstate.MutedPlaces) (readstate.Muting, error) {
	muted, err := s.rows.Muted(ctx, q.User)
	return readstate.Muting{Channels: idset.Of(muted...)}, err
}

// mutedAmong answers [channel.MutedAmong].
func (s *Service) mutedAmong(ctx context.Context, q channel.MutedAmong) (map[channel.SubscriptionRef]bool, error) {
	found, err := s.rows.MutedOf(ctx, q.Subscriptions)
	muted := make(map[channel.SubscriptionRef]bool, len(found))
	for _, k := range found {
		muted[k] = true
	}
	return muted, err
}

// keptAmong answers [channel.KeptAmong] with the subscriptions that would be restored if their users were reactivated.
func (s *Service) keptAmong(ctx context.Context, q channel.KeptAmong) ([]channel.SubscriptionRef, error) {
	return s.rows.ActiveOf(ctx, q.Subscriptions)
}
