package readstate

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// states loads and saves users' read states, and raises their floors.
type states struct {
	stateStore
	facts  factStore
	cache  *cache
	inbox  *inbox.Store
	flags  *flags.Store
	limits *limits
}

// userState is a user's read state while it is being changed.
type userState struct {
	*readstate.Reader
	state          readstate.State
	before         readstate.State
	chunksObsolete bool                // all stored chunks are obsolete
	markedIn       []message.Recipient // conversations of the messages that are being marked
}

func newUserState(r *readstate.Reader, st *readstate.State) *userState {
	p := &userState{Reader: r}
	if st != nil {
		p.state, p.before = *st, *st
	}
	return p
}

// loadWhole loads a user's entire read state. old contains the IDs with the OldUnread bit.
func (s *states) loadWhole(
	ctx context.Context,
	v *directory.View,
	u user.ID,
) (p *userState, old readstate.IDs, err error) {
	inboxes, err := s.inbox.Of(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	states, err := s.load(ctx, []user.ID{u}, nil)
	if err != nil {
		return nil, nil, err
	}
	return s.complete(ctx, v, u, states[u], inboxes[u])
}

// loadNewest is like loadWhole, but loads only the newest unread IDs, at least limit, if the state contains more. cut
// reports whether it does.
func (s *states) loadNewest(
	ctx context.Context, v *directory.View, u user.ID, limit int,
) (p *userState, old readstate.IDs, cut bool, err error) {
	inboxes, err := s.inbox.Of(ctx, u)
	if err != nil {
		return nil, nil, false, err
	}
	state, cut, err := s.stateStore.loadNewest(ctx, u, limit)
	if err != nil {
		return nil, nil, false, err
	}
	p, old, err = s.complete(ctx, v, u, state, inboxes[u])
	return p, old, cut, err
}

// complete adds a user's inbox and OldUnread bits to a loaded state, which is nil if none is stored.
func (s *states) complete(
	ctx context.Context, v *directory.View, u user.ID, state *readstate.State, own *readstate.Inbox,
) (p *userState, old readstate.IDs, err error) {
	p = newUserState(reader(v, u), state)
	p.Own = *own
	bits, err := s.flags.WithBit(ctx, u, message.OldUnread, 0)
	for id := range bits {
		old = append(old, id)
	}
	return p, idset.Of(old...), err
}

// loadForMarks loads the states of users who mark messages, with the chunks that the marks affect, and raises their
// floors towards head. marked contains the conversations of each user's messages, and many is the number of all these
// messages. The realm must be locked.
func (s *states) loadForMarks(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	marked map[user.ID][]message.Recipient,
	chunks []readstate.Chunk,
	head message.ID,
	many int,
) (map[user.ID]*userState, error) {
	us := slices.Sorted(maps.Keys(marked))
	states, err := s.load(ctx, us, chunks)
	if err != nil {
		return nil, err
	}
	all := make(map[user.ID]*userState, len(us))
	var recent, away []user.ID
	lowest := head
	for _, u := range us {
		p := newUserState(reader(v, u), states[u])
		p.markedIn, all[u] = marked[u], p
		if p.state.Floor+s.limits.floorLag < head {
			away = append(away, u)
		} else {
			recent, lowest = append(recent, u), min(lowest, p.state.Floor)
		}
	}
	if len(recent) > 0 {
		between, err := s.facts.span(ctx, r, lowest, head)
		if err != nil {
			return nil, err
		}
		if err := s.raiseFloors(ctx, v, all, recent, head, between); err != nil {
			return nil, err
		}
	}
	// Past as many as are marked: the floor of somebody who marks all messages does not fall behind.
	return all, s.raiseFloorsFar(ctx, v, r, all, away, head, max(s.limits.perMark, many))
}

// raiseFloors raises users' floors to an ID. It loads their inboxes, limited to the conversations of the messages
// between the floors and the ID and of the messages that are being marked.
func (s *states) raiseFloors(
	ctx context.Context,
	v *directory.View,
	all map[user.ID]*userState,
	us []user.ID,
	to message.ID,
	between []fact,
) error {
	var pairs []inbox.Pair
	touched, moved := recipients(between), movesBetween(between)
	direct := append([]message.Recipient{}, touched...)
	for _, u := range us {
		marked := all[u].markedIn
		for _, in := range touched {
			if c, channel := in.Channel(); channel && v.Subscribed(u, c) && !slices.Contains(marked, in) &&
				!slices.Contains(moved, in) {
				pairs = append(pairs, inbox.Pair{User: u, In: in})
			}
		}
		for _, in := range moved { // former channels of a message count even if the user has left them
			if !slices.Contains(marked, in) {
				pairs = append(pairs, inbox.Pair{User: u, In: in})
			}
		}
		for _, in := range marked {
			pairs = append(pairs, inbox.Pair{User: u, In: in})
		}
		direct = append(direct, marked...)
	}
	periods, err := s.inbox.Periods(ctx, pairs)
	if err != nil {
		return err
	}
	members, err := s.inbox.Members(ctx, direct)
	if err != nil {
		return err
	}
	ms := messagesOf(between)
	for _, u := range us {
		p := all[u]
		p.Own.Periods = periods[u]
		for in, participants := range members {
			if participants.Has(u) {
				p.Own.Direct = append(p.Own.Direct, in)
			}
		}
		slices.Sort(p.Own.Direct)
		p.Own.Sort()
		p.Advance(&p.state, to, ms)
	}
	return nil
}

// raiseFloorsFar raises floors that are far behind towards head, past about limit messages.
func (s *states) raiseFloorsFar(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	all map[user.ID]*userState,
	us []user.ID,
	head message.ID,
	limit int,
) error {
	if len(us) == 0 {
		return nil
	}
	inboxes, err := s.inbox.Of(ctx, us...)
	if err != nil {
		return err
	}
	for _, u := range us {
		all[u].Own = *inboxes[u]
		if err := s.raiseFloorInMemory(ctx, v, r, all[u], head, limit); err != nil {
			return err
		}
	}
	us = slices.DeleteFunc(us, func(u user.ID) bool { return all[u].state.Floor >= head })
	return s.raiseFloorsByRows(ctx, all, us, head, min(limit, s.limits.batch))
}

// raiseFloorInMemory raises a floor towards head past the messages that are in memory, until it has passed limit. The
// chunks in memory are exact, since they are valid at v and the realm is locked.
func (s *states) raiseFloorInMemory(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	p *userState,
	head message.ID,
	limit int,
) error {
	in, to := p.live(), p.state.Floor
	var unread readstate.IDs
	for n := readstate.ChunkOf(to + 1); limit > 0; n++ {
		chunk, complete := s.cache.get(chunkKey{r, n}, v.Seq())
		if chunk == nil {
			break
		}
		for _, at := range p.above(chunk, in, head, len(chunk.list)) {
			unread = append(unread, chunk.id(at))
		}
		limit -= len(chunk.list)
		to = max(to, min(chunk.last(), head))
		if n == readstate.ChunkOf(head) {
			break
		}
		if !complete {
			if more, err := s.facts.any(ctx, r, chunk.last(), (n+1).First()-1); err != nil {
				return err
			} else if more {
				break
			}
		}
		to = (n + 1).First() - 1
	}
	if to > p.state.Floor {
		p.state.RaiseFloor(to, unread)
	}
	return nil
}

// raiseFloorsByRows raises floors towards head, past at most limit messages that it reads.
func (s *states) raiseFloorsByRows(
	ctx context.Context,
	all map[user.ID]*userState,
	us []user.ID,
	head message.ID,
	limit int,
) error {
	if len(us) == 0 {
		return nil
	}
	lowest, seen := head, map[message.Recipient]bool{}
	var in []message.Recipient
	for _, u := range us {
		lowest = min(lowest, all[u].state.Floor)
		for _, at := range inbox.CurrentConversations(&all[u].Own) {
			if !seen[at] {
				seen[at] = true
				in = append(in, at)
			}
		}
	}
	between, to, err := s.facts.oldest(ctx, in, lowest, head, min(s.limits.window, message.ID(limit)), limit)
	if err != nil {
		return err
	}
	ms := messagesOf(between)
	for _, u := range us {
		all[u].Advance(&all[u].state, to, ms)
	}
	return nil
}

// raiseFloorStep raises a user's floor towards the head, past at most limits.batch messages, applying the mutes of the
// view. It reports whether the floor has reached the head. The realm must be locked.
func (s *states) raiseFloorStep(ctx context.Context, v *directory.View, by user.Actor) (bool, error) {
	u := by.User
	states, err := s.load(ctx, []user.ID{u}, []readstate.Chunk{-1})
	if err != nil {
		return false, err
	}
	p := newUserState(reader(v, u), states[u])
	head, err := s.facts.head(ctx)
	if err != nil || p.state.Floor >= head {
		return err == nil, err
	}
	all := map[user.ID]*userState{u: p}
	if err := s.raiseFloorsFar(ctx, v, by.Realm, all, []user.ID{u}, head, s.limits.batch); err != nil {
		return false, err
	}
	return p.state.Floor >= head, s.saveAll(ctx, all)
}

// clearOld removes a user's OldUnread bits from messages. ids must be ascending.
func (s *states) clearOld(ctx context.Context, u user.ID, ids readstate.IDs) error {
	if len(ids) == 0 {
		return nil
	}
	bits, err := s.flags.WithBit(ctx, u, message.OldUnread, ids[0])
	if err != nil {
		return err
	}
	set := map[flags.Key]message.Flag{}
	for _, id := range ids {
		set[flags.Key{User: u, Message: id}] = bits[id] &^ message.OldUnread
	}
	return s.flags.Set(ctx, set)
}

// saveAll stores the changes of all states.
func (s *states) saveAll(ctx context.Context, all map[user.ID]*userState) error {
	changes := make([]change, 0, len(all))
	for u, p := range all {
		changes = append(changes, change{User: u, Before: p.before, Now: &p.state, ChunksObsolete: p.chunksObsolete})
	}
	return s.save(ctx, changes)
}
