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
	fs, _, err := s.unread(ctx, v, v.Realm().ID, u, maxUnread)
	ids := make(idset.Set[message.ID], len(fs))
	for i, f := range fs {
		ids[i] = f.ID
	}
	return ids, err
}

// unread gives what is unread for u, the newest limit, ascending, and whether there is more.
func (s *Service) unread(ctx context.Context, v *directory.View, r realm.ID, u user.ID, limit int) ([]fact, bool, error) {
	p, old, err := s.person(ctx, v, u)
	if err != nil {
		return nil, false, err
	}
	above, err := s.above(ctx, v, r, p, limit+1)
	if err != nil {
		return nil, false, err
	}
	// What is unread by its bit may lie above the floor too.
	below := p.state.Unread.Union(old)
	if n := len(below) - (limit + 1); n > 0 {
		below = below[n:]
	}
	kept, err := s.lookup(ctx, v, r, below)
	if err != nil {
		return nil, false, err
	}
	kept = slices.DeleteFunc(kept, func(f fact) bool { return !p.Unread(&p.state, f.rule(), old.Has(f.ID)) })
	all := merge(kept, above)
	if n := len(all) - limit; n > 0 {
		return all[n:], true, nil
	}
	return all, false, nil
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
func (s *Service) above(ctx context.Context, v *directory.View, r realm.ID, p *person, limit int) ([]fact, error) {
	head, err := s.store.Head(ctx)
	if err != nil || head <= p.state.Floor {
		return nil, err
	}
	first, last := readstate.ChunkOf(p.state.Floor+1), readstate.ChunkOf(head)
	if last-first >= s.limits.wide {
		return s.aboveFar(ctx, p, head, limit)
	}
	var found []picked
	count := 0
	for n := last; n >= first && count < limit; n-- {
		chunk, err := s.cache.chunk(ctx, v, r, n)
		if err != nil {
			return nil, err
		}
		of := picked{chunk, p.above(chunk, head, limit-count)}
		found, count = append(found, of), count+len(of.at)
	}
	out := make([]fact, 0, count)
	for _, of := range slices.Backward(found) {
		for _, i := range slices.Backward(of.at) {
			out = append(out, of.chunk.at(i))
		}
	}
	return out, nil
}

// picked is some messages of a chunk, by their places there.
type picked struct {
	chunk *facts
	at    []int
}

// above gives the places of what is unread by rule in a chunk, above the floor and up to head: the newest limit, falling.
func (p *person) above(chunk *facts, head message.ID, limit int) []int {
	from := chunk.liveFrom(&p.Own)
	first := chunk.from(p.state.Floor + 1)
	out := make([]int, 0, min(limit, len(chunk.list)-first))
	for i := len(chunk.list) - 1; i >= first && len(out) < limit; i-- {
		at := &chunk.list[i]
		id := chunk.first + message.ID(at.low)
		switch {
		case id > head:
		case at.bits&uint16(message.Crossed) != 0:
			if p.Unread(&p.state, chunk.at(i).rule(), false) {
				out = append(out, i)
			}
		case id >= from[at.where] && p.Above(&p.state, chunk.at(i).rule()):
			out = append(out, i)
		}
	}
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

// lookup gives the messages with these ids, which are ascending; what is gone is left out. Few are read by key, many from
// memory.
func (s *Service) lookup(ctx context.Context, v *directory.View, r realm.ID, ids readstate.IDs) ([]fact, error) {
	chunks := readstate.Chunks(ids)
	if len(ids) <= s.limits.few || len(chunks) > maxChunks {
		return s.store.Facts(ctx, r, ids)
	}
	out := make([]fact, 0, len(ids))
	for _, n := range chunks {
		chunk, err := s.cache.chunk(ctx, v, r, n)
		if err != nil {
			return nil, err
		}
		i := 0
		for _, id := range n.Cut(ids) {
			for i < len(chunk.list) && chunk.first+message.ID(chunk.list[i].low) < id {
				i++
			}
			if i < len(chunk.list) && chunk.first+message.ID(chunk.list[i].low) == id {
				out = append(out, chunk.at(i))
			}
		}
	}
	return out, nil
}

// unreadIn gives what is unread for a person in a channel or topic, ascending. It reads rows only, so it may be used while
// changes are being written.
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
