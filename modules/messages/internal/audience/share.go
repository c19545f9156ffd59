package audience

import (
	"context"
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

// Share is a subset of the messages affected by a change, and the users who are notified of exactly this subset.
type Share struct {
	To       event.Audience
	Messages []message.Message // ascending
}

// Shares splits the messages of one conversation, given in ascending order, by audience. It returns more than one share
// only for protected history, where users are notified only of messages that they have, and at least one share,
// possibly with an empty audience.
func (s *Service) Shares(ctx context.Context, v *directory.View, ms []message.Message) ([]Share, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	all, err := s.Of(ctx, v, ms)
	if err != nil {
		return nil, err
	}
	return shares(v, ms, all), nil
}

// Conversation holds the changed messages of one conversation and their shares.
type Conversation struct {
	Messages []message.Message // ascending
	Shares   []Share
}

// SharesByConversation is like Shares, but accepts messages of several conversations.
func (s *Service) SharesByConversation(
	ctx context.Context,
	v *directory.View,
	ms []message.Message,
) ([]Conversation, error) {
	all, err := s.Of(ctx, v, ms)
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

// shares groups a conversation's messages by audience. all contains the audience of each message.
func shares(v *directory.View, ms []message.Message, all []event.Audience) []Share {
	if c := message.ChannelOf(v, ms[0].Recipient); c == nil || c.HistoryPublic {
		return []Share{{union(all), ms}}
	}
	runsByUser := map[user.ID][]run{}
	for i, a := range all {
		for _, u := range user.Set(a.Users) {
			runsByUser[u] = appendIndex(runsByUser[u], i)
		}
	}
	users := map[string][]user.ID{}
	runsByKey := map[string][]run{}
	for u, runs := range runsByUser {
		key := fmt.Sprint(runs)
		users[key], runsByKey[key] = append(users[key], u), runs
	}
	if len(users) == 0 {
		return []Share{{event.None(), ms}}
	}
	shares := make([]Share, 0, len(users))
	for key, us := range users {
		share := Share{To: event.Each(us...)}
		for _, r := range runsByKey[key] {
			share.Messages = append(share.Messages, ms[r.from:r.to]...)
		}
		shares = append(shares, share)
	}
	slices.SortFunc(shares, func(a, b Share) int { return slices.Compare(a.To.Users, b.To.Users) })
	return shares
}

// run is the half-open range [from, to) of indices.
type run struct{ from, to int }

// appendIndex adds an index to runs, which contain only lower indices.
func appendIndex(runs []run, i int) []run {
	if last := len(runs) - 1; last >= 0 && runs[last].to == i {
		runs[last].to++
		return runs
	}
	return append(runs, run{i, i + 1})
}

// NotifiedBy returns a function that reports whether the shares notify a user of a message.
func NotifiedBy(v *directory.View, shares []Share) flags.Notified {
	to := map[message.ID][]event.Audience{}
	for _, share := range shares {
		for i := range share.Messages {
			to[share.Messages[i].ID] = append(to[share.Messages[i].ID], share.To)
		}
	}
	return func(u user.ID, id message.ID) bool {
		return slices.ContainsFunc(to[id], func(a event.Audience) bool { return a.Includes(v, u) })
	}
}

// Outsiders returns the users in the shares who are not subscribed to the conversation's channel. There are usually few
// of them.
func Outsiders(v *directory.View, in message.Recipient, shares []Share) user.Set {
	var out user.Set
	c, _ := in.Channel()
	for _, share := range shares {
		out = out.Union(share.To.Members(v).Minus(v.Subscribers(c)))
	}
	return out
}
