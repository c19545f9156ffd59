package readstate

import (
	"context"
	"math"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// maxUnread is the maximum number of unread messages that clients receive. They receive the newest.
const maxUnread = 50_000

// finder finds unread messages.
type finder struct {
	states *states
	facts  factStore
	cache  *cache
	limits *limits
}

// unread returns u's state, at most limit of u's newest unread messages in ascending order, and whether there are more.
func (f *finder) unread(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	u user.ID,
	limit int,
) (*userState, selections, bool, error) {
	chunks := f.cache.chunks(v, r)
	for n := limit + 1; ; n *= 2 {
		p, old, cut, err := f.states.loadNewest(ctx, v, u, n)
		if err != nil {
			return nil, nil, false, err
		}
		if cut { // lower IDs may be older than some that were not loaded
			from, _ := slices.BinarySearch(old, p.state.Unread[0])
			old = old[from:]
		}
		all, more, err := f.newest(ctx, chunks, p, old, limit)
		if err != nil || more || !cut { // otherwise, too many of the newest do not count any more
			return p, all, more, err
		}
	}
}

// newest returns at most limit of the newest unread messages, in ascending order, and whether there are more.
func (f *finder) newest(
	ctx context.Context, chunks *chunks, p *userState, old readstate.IDs, limit int,
) (selections, bool, error) {
	above, err := f.above(ctx, chunks, p, limit+1)
	if err != nil {
		return nil, false, err
	}
	// IDs with the OldUnread bit may also be above the floor.
	kept, err := f.selectIDs(ctx, chunks, p.state.Unread.Union(old))
	if err != nil {
		return nil, false, err
	}
	for i, of := range kept {
		kept[i].indexes = slices.DeleteFunc(of.indexes, func(at uint16) bool {
			return !p.Unread(&p.state, of.chunk.messageAt(at), old.Has(of.chunk.id(at)))
		})
	}
	all := kept.join(above).nonEmpty()
	if all.count() > limit {
		return all.newest(limit), true, nil
	}
	return all, false, nil
}

// above returns at most limit of the newest messages above the floor that are unread, not considering OldUnread bits,
// in ascending order.
func (f *finder) above(ctx context.Context, chunks *chunks, p *userState, limit int) (selections, error) {
	head, err := f.facts.head(ctx)
	if err != nil || head <= p.state.Floor {
		return nil, err
	}
	first, last := readstate.ChunkOf(p.state.Floor+1), readstate.ChunkOf(head)
	if last-first >= f.limits.wideSpan {
		fs, err := f.aboveFar(ctx, p, head, limit)
		return selectAll(fs), err
	}
	in := p.live()
	var found selections
	for n := last; n >= first && limit > 0; n-- {
		chunk, err := chunks.get(ctx, n)
		if err != nil {
			return nil, err
		}
		of := selection{chunk, p.above(chunk, in, head, limit)}
		found, limit = append(found, of), limit-len(of.indexes)
	}
	slices.Reverse(found)
	return found, nil
}

// aboveFar is like finder.above, but uses the indexes of the user's conversations.
func (f *finder) aboveFar(ctx context.Context, p *userState, head message.ID, limit int) ([]fact, error) {
	var out []fact
	in := inbox.CurrentConversations(&p.Own)
	for w := newWindow(p.state.Floor, head, f.limits.window, true); len(out) < limit && w.next(len(out), limit); {
		fs, err := f.facts.between(ctx, in, w.after, w.to)
		if err != nil {
			return nil, err
		}
		for _, x := range slices.Backward(fs) {
			if len(out) < limit && p.Unread(&p.state, x.message(), false) {
				out = append(out, x)
			}
		}
	}
	slices.Reverse(out)
	return out, nil
}

// lookup returns the messages with the given IDs, which must be ascending. It omits deleted messages.
func (f *finder) lookup(ctx context.Context, v *directory.View, r realm.ID, ids readstate.IDs) ([]fact, error) {
	found, err := f.selectIDs(ctx, f.cache.chunks(v, r), ids)
	return found.facts(), err
}

// selectIDs is like lookup, but returns chunks and indexes. It reads few messages by ID, many from the cache.
func (f *finder) selectIDs(ctx context.Context, chunks *chunks, ids readstate.IDs) (selections, error) {
	in := readstate.Chunks(ids)
	if len(ids) <= f.limits.maxByID || len(in) > maxChunks {
		fs, err := f.facts.byID(ctx, chunks.realm, ids)
		return selectAll(fs), err
	}
	all := make(selections, 0, len(in))
	for _, n := range in {
		chunk, err := chunks.get(ctx, n)
		if err != nil {
			return nil, err
		}
		all = append(all, selection{chunk, chunk.indexesOf(n.Cut(ids))})
	}
	return all, nil
}

// unreadIn returns a user's unread messages in a channel or topic, ascending. It does not use the cache, so it may be
// called in a transaction that writes.
func (f *finder) unreadIn(ctx context.Context, p *userState, old readstate.IDs, r realm.ID, in place) ([]fact, error) {
	head, err := f.facts.head(ctx)
	if err != nil {
		return nil, err
	}
	var found []fact
	below := p.state.Unread.Union(old)
	switch {
	case len(below) > f.limits.maxByID:
		found, err = f.facts.inPlace(ctx, in, below[0]-1, p.state.Floor)
	default:
		found, err = f.facts.byID(ctx, r, below)
	}
	if err != nil {
		return nil, err
	}
	above, err := f.facts.inPlace(ctx, in, p.state.Floor, head)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(merge(found, above), func(x fact) bool {
		return !in.holds(x) || !p.Unread(&p.state, x.message(), old.Has(x.ID))
	}), nil
}

// unreadInPlace is like unreadIn, but takes many messages from the cache, which is much faster than reading their rows.
// For few, it would read the whole chunks in which they are. It must not be called in a transaction that writes.
func (f *finder) unreadInPlace(
	ctx context.Context, v *directory.View, p *userState, old readstate.IDs, r realm.ID, in place,
) (selections, error) {
	head, err := f.facts.head(ctx)
	if err != nil {
		return nil, err
	}
	from := p.state.Floor
	if len(p.state.Unread) > 0 {
		from = min(from, p.state.Unread[0]-1)
	}
	few := readstate.ChunkOf(head)-readstate.ChunkOf(from+1) >= f.limits.wideSpan // for so many chunks
	if !few {
		if few, err = f.facts.haveFewer(ctx, in, from, head, f.limits.manyInPlace); err != nil {
			return nil, err
		}
	}
	if few {
		fs, err := f.unreadIn(ctx, p, old, r, in)
		return selectAll(fs), err
	}
	all, _, err := f.newest(ctx, f.cache.chunks(v, r), p, old, math.MaxInt32)
	return all.in(in), err
}

// merge joins two ascending lists without duplicates.
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
