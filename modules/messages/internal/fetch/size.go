package fetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/render"
)

// Limits on the size of a response.
const (
	maxResponse       = 8 << 20 // bytes
	objectSize        = 700     // estimated size of a message without its content, in bytes
	uncheckedMessages = 50      // number of messages up to which sizes are not checked
)

// sizes returns the approximate size of each message in a response, in bytes.
func (s *Service) sizes(ctx context.Context, q *query, heads []message.Message, html bool) ([]int, error) {
	out := make([]int, len(heads))
	var unknown []message.ID
	for i := range heads {
		if row := s.Rows.Get(&heads[i], html); row != nil {
			out[i] = row.Size
		} else {
			unknown = append(unknown, heads[i].ID)
		}
	}
	texts, err := s.Store.Sizes(ctx, unknown, html)
	for i := range heads {
		out[i] += texts[heads[i].ID]
		if q.highlights() { // the content is repeated
			out[i] *= 2
		}
		out[i] += objectSize
	}
	return out, err
}

// shorten limits a result to the messages nearest to the anchor that fit into a response, but at least one message.
func (s *Service) shorten(ctx context.Context, q *query, res *result, o render.Options) error {
	if len(res.heads) <= uncheckedMessages {
		return nil
	}
	sizes, err := s.sizes(ctx, q, res.heads, o.HTML)
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(
		res.heads,
		res.anchor,
		func(m message.Message, id message.ID) int { return cmp.Compare(m.ID, id) },
	)
	from, to := fitting(sizes, min(at, len(sizes)-1), maxResponse)
	res.oldest, res.newest = res.oldest && from == 0, res.newest && to == len(res.heads)
	res.heads = res.heads[from:to]
	return nil
}

// fitting returns the largest range [from, to) around the index at with a total size of at most limit. The range is
// roughly symmetric and always contains at.
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

// checkSize checks that messages fit into one response. Messages that the reader cannot see do not count. Errors:
// BadRequest.
func (s *Service) checkSize(ctx context.Context, r reader, q *query, ids []message.ID, o render.Options) error {
	if len(ids) <= uncheckedMessages {
		return nil
	}
	ids, err := s.Access.Readable(ctx, r.v, r.u, ids...)
	if err != nil {
		return err
	}
	texts, err := s.Store.Sizes(ctx, ids, o.HTML)
	sum := objectSize * len(ids)
	for _, n := range texts {
		sum += n
		if q.highlights() {
			sum += n
		}
	}
	if sum > maxResponse {
		return errs.Bad("These messages are too large for one answer. Ask for fewer at once.")
	}
	return err
}
