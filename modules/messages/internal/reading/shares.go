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

// Shares says who hears of which of some messages, ascending and of one conversation, that are changed together. Only
// in protected history there may be more than one share: people hear there of what they have, and of nothing else.
// There is at least one, if only of nobody.
func (s *Service) Shares(ctx context.Context, v *directory.View, ms []message.Message) ([]Share, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	all, err := s.Audiences(ctx, v, ms)
	if err != nil {
		return nil, err
	}
	return shares(v, ms, all), nil
}

// Conversation is those of some messages that are in one conversation, and who hears of which of them.
type Conversation struct {
	Messages []message.Message // ascending
	Shares   []Share
}

// SharesOf is Shares for messages of any conversations, ascending, in a few statements for all of them.
func (s *Service) SharesOf(ctx context.Context, v *directory.View, ms []message.Message) ([]Conversation, error) {
	all, err := s.Audiences(ctx, v, ms)
	if err != nil {
		return nil, err
	}
	at := map[message.Recipient]int{}
	var out []Conversation
	var to [][]event.Audience
	for i, m := range ms {
		n, known := at[m.Recipient]
		if !known {
			n = len(out)
			at[m.Recipient], out, to = n, append(out, Conversation{}), append(to, nil)
		}
		out[n].Messages, to[n] = append(out[n].Messages, m), append(to[n], all[i])
	}
	for n := range out {
		out[n].Shares = shares(v, out[n].Messages, to[n])
	}
	return out, nil
}

// shares puts together who hears of the messages of one conversation, of each of which all tells who hears of it.
func shares(v *directory.View, ms []message.Message, all []event.Audience) []Share {
	if c := message.ChannelOf(v, ms[0].Recipient); c == nil || c.HistoryPublic {
		return []Share{{union(all), ms}}
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
		return []Share{{event.None(), ms}}
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
	return shares
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
