package fetch

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/ports"
)

// Minimum and maximum number of candidates requested at once.
const (
	minBlock = 64
	maxBlock = 5000
)

// headCost is the cost of examining a message, not counting its content, in bytes.
const headCost = 100

// next returns the first messages of a span that match the query, at most want, in the span's direction. If the
// caller's budget is exhausted after some have been found, it returns these and sets partial. Errors: RateLimit.
func (q *query) next(ctx context.Context, s span, want int) (out []message.Message, partial bool, err error) {
	limit := maxBlock
	if q.search.matcher != nil || q.operatedByText() {
		limit = textsPerRead
	}
	for n := min(max(want, minBlock), limit); want > len(out) && !s.empty(); n = min(2*n, limit) {
		var block []message.Message
		var rest span
		err := q.charge(ctx, n)
		if err == nil {
			block, rest, err = q.source(ctx, s, n)
		}
		if err == nil {
			block, err = q.keep(ctx, block)
		}
		if errs.Is(err, errs.RateLimit) && len(out) > 0 {
			return out, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		out, s = append(out, block...), rest
	}
	return out[:min(want, len(out))], false, nil
}

// charge charges the caller for examining n messages, not counting their content. Errors: RateLimit.
func (q *query) charge(ctx context.Context, n int) error {
	if q.search.matcher == nil && len(q.operated) == 0 {
		return nil
	}
	return ports.Spend(ctx, headCost*n)
}

// mayMatch checks the conditions that follow from a message's conversation, topic, sender and facts.
func (q *query) mayMatch(m *message.Message) bool {
	return q.covers(m.Recipient) && q.narrow.Holds(m) && (q.skip == nil || !q.skip(m))
}

// mayBeUnread returns mayMatch for messages in the read state's memory, except the conditions on what a message was
// rendered to: rendering it again, as when a preview becomes known, does not change them there.
func (q *query) mayBeUnread() func(*message.Message) bool {
	early := *q
	early.narrow.Conditions = slices.DeleteFunc(slices.Clone(q.narrow.Conditions), func(c narrow.Condition) bool {
		return c.Op == narrow.Link || c.Op == narrow.Image
	})
	return early.mayMatch
}

// keep returns those of the messages that the reader can see and that match the narrow.
func (q *query) keep(ctx context.Context, ms []message.Message) ([]message.Message, error) {
	ms = slices.DeleteFunc(ms, func(m message.Message) bool { return !q.mayMatch(&m) })
	if len(ms) == 0 {
		return nil, nil
	}
	if q.inbox != nil {
		var err error
		if ms, err = q.ownMessages(ctx, ms); err != nil {
			return nil, err
		}
	}
	for _, c := range q.narrow.Conditions {
		if c.Op != narrow.MentionsOf || len(ms) == 0 {
			continue
		}
		mentions, err := q.s.Flags.Any(ctx, c.User, message.Personally, idsOf(ms))
		if err != nil {
			return nil, err
		}
		ms = slices.DeleteFunc(ms, func(m message.Message) bool { return mentions[m.ID] == c.Negated })
	}
	var err error
	if ms, err = q.selected(ctx, ms); err != nil {
		return nil, err
	}
	if ms, err = q.matching(ctx, ms); err != nil {
		return nil, err
	}
	if !q.narrow.ByState() || len(ms) == 0 {
		return ms, nil
	}
	states, err := q.s.States.Of(ctx, q.v, q.u.ID, ms)
	if err != nil {
		return nil, err
	}
	reacted := map[message.ID]bool{}
	if q.narrow.ByReactions() {
		if reacted, err = q.s.Store.Reactions.WithReactions(ctx, idsOf(ms)); err != nil {
			return nil, err
		}
	}
	muting := &readstate.Muting{}
	if q.narrow.ByMuting() || q.narrow.ByFollowing() {
		if muting, err = q.muted(ctx); err != nil {
			return nil, err
		}
	}
	kept := ms[:0]
	for i, m := range ms {
		has := state(states[i].Flags)
		has.Muted, has.Followed, has.Reacted = inMuted(muting, &m), inFollowed(muting, &m), reacted[m.ID]
		if q.narrow.Personal(has) {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// anyFlag matches every flag row.
const anyFlag = ^message.Flag(0)

// ownMessages returns those of the messages that the reader has received or has a flag row for.
func (q *query) ownMessages(ctx context.Context, ms []message.Message) ([]message.Message, error) {
	withMoves, err := q.s.Inbox.WithMoves(ctx, ms)
	if err != nil {
		return nil, err
	}
	var others []message.ID
	for i := range ms {
		if !q.inbox.Received(withMoves[i]) {
			others = append(others, ms[i].ID)
		}
	}
	if len(others) == 0 {
		return ms, nil
	}
	flagged, err := q.s.Flags.Any(ctx, q.u.ID, anyFlag, others)
	unreceived := idset.Of(others...)
	return slices.DeleteFunc(ms, func(m message.Message) bool { return unreceived.Has(m.ID) && !flagged[m.ID] }), err
}

// state converts flag names to the state that narrows can filter by.
func state(flags []string) narrow.State {
	has := func(name string) bool { return slices.Contains(flags, name) }
	return narrow.State{
		Read: has(message.NameRead), Starred: has("starred"), Alerted: has("has_alert_word"),
		Mentioned: has("mentioned") || has(message.NameWildcard),
	}
}
