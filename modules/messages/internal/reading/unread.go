package reading

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// maxUnread is how many unread messages anybody is told of: the newest.
const maxUnread = 50_000

// Unread gives the ids of everything that is unread for u, the newest 50,000, ascending.
func (s *Service) Unread(ctx context.Context, v *directory.View, u user.ID) (idset.Set[message.ID], error) {
	if v.Realm() == nil {
		return nil, nil
	}
	_, all, _, err := s.unread(ctx, v, v.Realm().ID, u, maxUnread)
	ids := make(idset.Set[message.ID], 0, all.count())
	for _, p := range all {
		for _, at := range p.at {
			ids = append(ids, p.chunk.id(at))
		}
	}
	return ids, err
}

// unread gives u, what is unread for them, the newest limit, ascending, and whether there is more.
func (s *Service) unread(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	u user.ID,
	limit int,
) (*person, picks, bool, error) {
	p, old, err := s.person(ctx, v, u)
	if err != nil {
		return nil, nil, false, err
	}
	chunks := s.cache.chunks(v, r)
	above, err := s.above(ctx, chunks, p, limit+1)
	if err != nil {
		return nil, nil, false, err
	}
	// What is unread by its bit may lie above the floor too.
	below := p.state.Unread.Union(old)
	if n := len(below) - (limit + 1); n > 0 {
		below = below[n:]
	}
	kept, err := s.pick(ctx, chunks, below)
	if err != nil {
		return nil, nil, false, err
	}
	for i, of := range kept {
		kept[i].at = slices.DeleteFunc(of.at, func(at uint16) bool {
			return !p.Unread(&p.state, of.chunk.rule(at), old.Has(of.chunk.id(at)))
		})
	}
	all := kept.join(above).filled()
	if all.count() > limit {
		return p, all.newest(limit), true, nil
	}
	return p, all, false, nil
}

// person loads somebody's whole read state; old are the ids with the OldUnread bit.
func (s *Service) person(ctx context.Context, v *directory.View, u user.ID) (p *person, old readstate.IDs, err error) {
	p = &person{Reader: s.reader(v, u)}
	owns, err := s.store.Owns(ctx, []user.ID{u})
	if err != nil {
		return nil, nil, err
	}
	p.Own = *owns[u]
	states, err := s.store.States(ctx, []user.ID{u}, nil)
	if err != nil {
		return nil, nil, err
	}
	if st := states[u]; st != nil {
		p.state, p.before = *st, *st
	}
	flags, err := s.store.FlagsFrom(ctx, u, message.OldUnread, 0)
	for id := range flags {
		old = append(old, id)
	}
	return p, idset.Of(old...), err
}

// above gives what is unread by rule above the floor, the newest limit, ascending.
func (s *Service) above(ctx context.Context, chunks *chunks, p *person, limit int) (picks, error) {
	head, err := s.store.Head(ctx)
	if err != nil || head <= p.state.Floor {
		return nil, err
	}
	first, last := readstate.ChunkOf(p.state.Floor+1), readstate.ChunkOf(head)
	if last-first >= s.limits.wide {
		fs, err := s.aboveFar(ctx, p, head, limit)
		return pickAll(fs), err
	}
	var found picks
	for n := last; n >= first && limit > 0; n-- {
		chunk, err := chunks.get(ctx, n)
		if err != nil {
			return nil, err
		}
		of := picked{chunk, p.above(chunk, head, limit)}
		found, limit = append(found, of), limit-len(of.at)
	}
	slices.Reverse(found)
	return found, nil
}

// above gives the places of what is unread by rule in a chunk, above the floor and up to head: the newest limit,
// ascending.
func (p *person) above(chunk *facts, head message.ID, limit int) []uint16 {
	from := chunk.liveFrom(&p.Own)
	first := chunk.from(p.state.Floor + 1)
	out := make([]uint16, 0, min(limit, len(chunk.list)-first))
	for i := len(chunk.list) - 1; i >= first && len(out) < limit; i-- {
		at, place := &chunk.list[i], uint16(i)
		id := chunk.first + message.ID(at.low)
		switch {
		case id > head:
		case at.bits&uint16(message.Crossed) != 0:
			if p.Unread(&p.state, chunk.rule(place), false) {
				out = append(out, place)
			}
		case id >= from[at.where] && p.Above(&p.state, chunk.rule(place)):
			out = append(out, place)
		}
	}
	slices.Reverse(out)
	return out
}

// aboveFar is above by the indexes of the person's conversations.
func (s *Service) aboveFar(ctx context.Context, p *person, head message.ID, limit int) ([]fact, error) {
	var out []fact
	in, to := current(&p.Own), head
	for len(out) < limit {
		fs, err := s.store.Above(ctx, in, p.state.Floor, to, limit, true)
		if err != nil {
			return nil, err
		}
		for _, f := range fs {
			if len(out) < limit && p.Unread(&p.state, f.rule(), false) {
				out = append(out, f)
			}
		}
		if len(fs) < limit {
			break
		}
		to = fs[len(fs)-1].ID - 1
	}
	slices.Reverse(out)
	return out, nil
}

// lookup gives the messages with these ids, which are ascending; what is gone is left out.
func (s *Service) lookup(ctx context.Context, v *directory.View, r realm.ID, ids readstate.IDs) ([]fact, error) {
	found, err := s.pick(ctx, s.cache.chunks(v, r), ids)
	return found.facts(), err
}

// pick is lookup by places in chunks. Few are read by key, many from memory.
func (s *Service) pick(ctx context.Context, chunks *chunks, ids readstate.IDs) (picks, error) {
	in := readstate.Chunks(ids)
	if len(ids) <= s.limits.few || len(in) > maxChunks {
		fs, err := s.store.Facts(ctx, chunks.realm, ids)
		return pickAll(fs), err
	}
	all := make(picks, 0, len(in))
	for _, n := range in {
		chunk, err := chunks.get(ctx, n)
		if err != nil {
			return nil, err
		}
		all = append(all, picked{chunk, chunk.places(n.Cut(ids))})
	}
	return all, nil
}

// unreadIn gives what is unread for a person in a channel or topic, ascending. It reads rows only, so it may be used
// while changes are being written.
func (s *Service) unreadIn(ctx context.Context, p *person, old readstate.IDs, r realm.ID, in place) ([]fact, error) {
	head, err := s.store.Head(ctx)
	if err != nil {
		return nil, err
	}
	var found []fact
	below := p.state.Unread.Union(old)
	switch {
	case len(below) > s.limits.few:
		found, err = s.store.In(ctx, in, below[0]-1, p.state.Floor)
	default:
		found, err = s.store.Facts(ctx, r, below)
	}
	if err != nil {
		return nil, err
	}
	above, err := s.store.In(ctx, in, p.state.Floor, head)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(merge(found, above), func(f fact) bool {
		return !in.holds(f) || !p.Unread(&p.state, f.rule(), old.Has(f.ID))
	}), nil
}

// merge joins two ascending lists; what is in both is kept once.
func merge(a, b []fact) []fact {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make([]fact, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].ID < b[0].ID:
			out, a = append(out, a[0]), a[1:]
		case a[0].ID > b[0].ID:
			out, b = append(out, b[0]), b[1:]
		default:
			a = a[1:]
		}
	}
	return append(append(out, a...), b...)
}
