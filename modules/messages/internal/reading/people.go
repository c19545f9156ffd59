package reading

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// person is one whose read state is being changed.
type person struct {
	*readstate.Reader
	state  readstate.State
	before readstate.State
	wiped  bool                // everything stored before is gone
	marked []message.Recipient // where the messages are that are being marked
}

// people loads those who are about to mark messages: chunks are the ones that the marks touch, marked the conversations
// of the messages of each. The floors are lifted towards head. In the realm's lock only.
func (s *Service) people(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	marked map[user.ID][]message.Recipient,
	chunks []readstate.Chunk,
	head message.ID,
) (map[user.ID]*person, error) {
	us := slices.Sorted(maps.Keys(marked))
	states, err := s.store.States(ctx, us, chunks)
	if err != nil {
		return nil, err
	}
	all := make(map[user.ID]*person, len(us))
	var recent, away []user.ID
	lowest := head
	for _, u := range us {
		p := &person{Reader: s.reader(v, u), marked: marked[u]}
		if st := states[u]; st != nil {
			p.state, p.before = *st, *st
		}
		all[u] = p
		if p.state.Floor+s.limits.near < head {
			away = append(away, u)
		} else {
			recent, lowest = append(recent, u), min(lowest, p.state.Floor)
		}
	}
	if len(recent) > 0 {
		between, err := s.store.Span(ctx, r, lowest, head)
		if err != nil {
			return nil, err
		}
		if err := s.lift(ctx, v, all, recent, head, between); err != nil {
			return nil, err
		}
	}
	if len(away) > 0 {
		if err := s.liftFar(ctx, all, away, head, s.limits.far); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// lift loads where the messages of people come from, as far as the messages between and the marked conversations go,
// and lifts their floors.
func (s *Service) lift(
	ctx context.Context,
	v *directory.View,
	all map[user.ID]*person,
	us []user.ID,
	to message.ID,
	between []fact,
) error {
	var pairs []pair
	touched, crossed := recipients(between), crossings(between)
	direct := append([]message.Recipient{}, touched...)
	for _, u := range us {
		marked := all[u].marked
		for _, in := range touched {
			if c, channel := in.Channel(); channel && v.Subscribed(u, c) && !slices.Contains(marked, in) &&
				!slices.Contains(crossed, in) {
				pairs = append(pairs, pair{u, in})
			}
		}
		for _, in := range crossed { // where a message was counts too, also after the person has left that channel
			if !slices.Contains(marked, in) {
				pairs = append(pairs, pair{u, in})
			}
		}
		for _, in := range marked {
			pairs = append(pairs, pair{u, in})
		}
		direct = append(direct, marked...)
	}
	periods, err := s.store.Periods(ctx, pairs)
	if err != nil {
		return err
	}
	members, err := s.store.Members(ctx, direct)
	if err != nil {
		return err
	}
	ms := rules(between)
	for _, u := range us {
		p := all[u]
		p.Own.Periods = periods[u]
		for in, who := range members {
			if who.Has(u) {
				p.Own.Direct = append(p.Own.Direct, in)
			}
		}
		slices.Sort(p.Own.Direct)
		p.Own.Sort()
		p.Advance(&p.state, to, ms)
	}
	return nil
}

// liftFar does the same for people whose floors are far behind, over at most limit messages.
func (s *Service) liftFar(
	ctx context.Context,
	all map[user.ID]*person,
	us []user.ID,
	head message.ID,
	limit int,
) error {
	owns, err := s.store.Owns(ctx, us)
	if err != nil {
		return err
	}
	lowest, seen := head, map[message.Recipient]bool{}
	var in []message.Recipient
	for _, u := range us {
		all[u].Own = *owns[u]
		lowest = min(lowest, all[u].state.Floor)
		for _, at := range current(&all[u].Own) {
			if !seen[at] {
				seen[at] = true
				in = append(in, at)
			}
		}
	}
	between, err := s.store.Above(ctx, in, lowest, head, limit, false)
	if err != nil {
		return err
	}
	to := head
	if len(between) == limit {
		to = between[len(between)-1].ID
	}
	ms := rules(between)
	for _, u := range us {
		all[u].Advance(&all[u].state, to, ms)
	}
	return nil
}

// current gives the conversations that a person takes part in.
func current(o *readstate.Inbox) []message.Recipient {
	in := append([]message.Recipient{}, o.Direct...)
	for _, p := range o.Periods {
		if p.Open() {
			in = append(in, p.Recipient)
		}
	}
	return in
}

// save stores what has changed.
func (s *Service) save(ctx context.Context, all map[user.ID]*person) error {
	changes := make([]change, 0, len(all))
	for u, p := range all {
		changes = append(changes, change{User: u, Before: p.before, Now: &p.state, Wiped: p.wiped})
	}
	return s.store.Save(ctx, changes)
}
