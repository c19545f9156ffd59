package reading

import (
	"context"
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Share is some of the messages that are changed together, and those who hear of these and of no others.
type Share struct {
	To       event.Audience
	Messages []message.Message // ascending
}

// Shares says who hears of which of some messages, ascending and of one conversation, that are changed together. Only in
// protected history there may be more than one share: people hear there of what they have, and of nothing else. There is at least
// one, if only of nobody.
func (s *Service) Shares(ctx context.Context, v *directory.View, ms []message.Message) ([]Share, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	if c := message.ChannelOf(v, ms[0].Recipient); c == nil || c.HistoryPublic {
		to, err := s.Audience(ctx, v, ms)
		return []Share{{to, ms}}, err
	}
	all, err := s.Audiences(ctx, v, ms)
	if err != nil {
		return nil, err
	}
	has := map[user.ID][]run{}
	for i, a := range all {
		for _, u := range user.Set(a.Users) {
			has[u] = extended(has[u], i)
		}
	}
	who := map[string][]user.ID{}
	of := map[string][]run{}
	for u, runs := range has {
		key := fmt.Sprint(runs)
		who[key], of[key] = append(who[key], u), runs
	}
	if len(who) == 0 {
		return []Share{{event.None(), ms}}, nil
	}
	shares := make([]Share, 0, len(who))
	for key, us := range who {
		share := Share{To: event.Each(us...)}
		for _, r := range of[key] {
			share.Messages = append(share.Messages, ms[r.from:r.to]...)
		}
		shares = append(shares, share)
	}
	slices.SortFunc(shares, func(a, b Share) int { return slices.Compare(a.To.Users, b.To.Users) })
	return shares, nil
}

// run is indices from from up to, but without, to.
type run struct{ from, to int }

// extended adds an index that is higher than those in the runs.
func extended(runs []run, i int) []run {
	if last := len(runs) - 1; last >= 0 && runs[last].to == i {
		runs[last].to++
		return runs
	}
	return append(runs, run{i, i + 1})
}
