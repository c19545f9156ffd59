package fetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/render"
)

// The bounds of an answer, in bytes.
const (
	maxAnswer = 8 << 20
	perObject = 700 // what a message has beside its text, about
	harmless  = 50  // so many messages are not measured
)

// sizes returns how many bytes messages have in an answer, about.
func (s *Service) sizes(ctx context.Context, q *query, ids []message.ID, o render.Options) ([]int, error) {
	texts, err := s.Store.Sizes(ctx, ids, o.HTML)
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = perObject + texts[id]
		if q != nil && q.search.wanted { // once more, with marks
			out[i] += texts[id]
		}
	}
	return out, err
}

// shorten leaves of a result what fits into an answer: the messages that are nearest to the anchor, and at least one.
func (s *Service) shorten(ctx context.Context, q *query, res *result, o render.Options) error {
	if len(res.heads) <= harmless {
		return nil
	}
	sizes, err := s.sizes(ctx, q, idsOf(res.heads), o)
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(
		res.heads,
		res.anchor,
		func(m message.Message, id message.ID) int { return cmp.Compare(m.ID, id) },
	)
	from, to := fitting(sizes, min(at, len(sizes)-1), maxAnswer)
	res.oldest, res.newest = res.oldest && from == 0, res.newest && to == len(res.heads)
	res.heads = res.heads[from:to]
	return nil
}

// fitting returns the bounds of the elements around at whose sum is at most limit, about as many on either side. The
// one at at is always among them.
func fitting(sizes []int, at, limit int) (from, to int) {
	from, to = at, at+1
	left := limit - sizes[at]
	for from > 0 || to < len(sizes) {
		if to == len(sizes) || from > 0 && at-from < to-at-1 {
			if left -= sizes[from-1]; left < 0 {
				return from, to
			}
			from--
			continue
		}
		if left -= sizes[to]; left < 0 {
			return from, to
		}
		to++
	}
	return from, to
}

// fits refuses messages that are too much for one answer; those that the reader may not see do not count. Errors:
// BadRequest.
func (s *Service) fits(ctx context.Context, r reader, q *query, ids []message.ID, o render.Options) error {
	if len(ids) <= harmless {
		return nil
	}
	ids, err := s.Access.Readable(ctx, r.v, r.u, ids...)
	if err != nil {
		return err
	}
	sizes, err := s.sizes(ctx, q, ids, o)
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	if sum > maxAnswer {
		return errs.Bad("These messages are too large for one answer. Ask for fewer at once.")
	}
	return err
}
