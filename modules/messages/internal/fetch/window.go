package fetch

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// kind is the type of an anchor.
type kind int8

const (
	byID kind = iota
	newest
	oldest
	firstUnread
	byDate
)

// window is the requested range of messages.
type window struct {
	kind          kind
	anchor        message.ID
	date          time.Time
	before, after int
	includeAnchor bool
}

// result is a range of messages, ascending by ID.
type result struct {
	heads                       []message.Message
	anchor                      message.ID
	foundAnchor, oldest, newest bool
	allRead                     bool // the first unread message was requested as anchor, but all are read
}

// window returns the messages around an anchor.
func (q *query) window(ctx context.Context, w window) (result, error) {
	requested := w.kind
	w, err := q.resolve(ctx, w)
	if err != nil {
		return result{}, err
	}
	res := result{
		anchor:  w.anchor,
		oldest:  w.kind == oldest,
		newest:  w.kind == newest,
		allRead: requested == firstUnread && w.kind == newest,
	}
	switch w.kind {
	case newest:
		w.after = 0
		res.oldest, err = q.end(ctx, &res, true, w.before)
	case oldest:
		w.before = 0
		res.newest, err = q.end(ctx, &res, false, w.after)
	default:
		err = q.around(ctx, &res, w)
	}
	res.foundAnchor = slices.ContainsFunc(res.heads, func(m message.Message) bool { return m.ID == res.anchor })
	return res, err
}

// end adds the newest (down) or oldest messages to res and reports whether they are all messages of the query. The
// anchor is the outermost message, whether requested or not.
func (q *query) end(ctx context.Context, res *result, down bool, want int) (all bool, err error) {
	ms, partial, err := q.next(ctx, span{store.Range{From: 1, To: message.MaxID}, down}, max(want, 1))
	all = len(ms) < want && !partial
	if err != nil || len(ms) == 0 {
		return all, err
	}
	res.anchor = ms[0].ID
	if res.heads = ms[:min(want, len(ms))]; down {
		slices.Reverse(res.heads)
	}
	return all, nil
}

// around adds the messages on both sides of the anchor to res, and the message with the anchor's ID, which does not
// count.
func (q *query) around(ctx context.Context, res *result, w window) error {
	var before, after []message.Message
	var partial bool
	var err error
	if w.before > 0 {
		to, extra := w.anchor-1, 0
		if w.after == 0 && w.includeAnchor {
			to, extra = w.anchor, 1
		}
		if before, partial, err = q.next(ctx, span{store.Range{From: 1, To: to}, true}, w.before+extra); err != nil {
			return err
		}
		slices.Reverse(before)
		if n := len(before); extra == 1 && n > w.before && before[n-1].ID != w.anchor {
			before = before[1:]
		}
		counted := len(before)
		if extra == 1 && counted > 0 && before[counted-1].ID == w.anchor {
			counted--
		}
		res.oldest = counted < w.before && !partial
	}
	if w.after > 0 || w.before == 0 && w.includeAnchor {
		from, extra, to := w.anchor+1, 0, message.MaxID
		if w.includeAnchor {
			from, extra = w.anchor, 1
		}
		if w.after == 0 {
			to = w.anchor
		}
		after, partial, err = q.next(ctx, span{store.Range{From: from, To: to}, false}, w.after+extra)
		if errs.Is(err, errs.RateLimit) && len(before) > 0 {
			partial, err = true, nil
		}
		if err != nil {
			return err
		}
		counted := len(after)
		if extra == 1 && counted > 0 {
			if after[0].ID == w.anchor {
				counted--
			} else if counted > w.after {
				after, counted = after[:w.after], w.after
			}
		}
		res.newest = counted < w.after && !partial
	}
	res.heads = slices.Concat(before, after)
	return nil
}

// resolve replaces anchors such as the first unread message by IDs. If there is no such message, it chooses the newest.
func (q *query) resolve(ctx context.Context, w window) (window, error) {
	var within []store.Range
	search := *q
	switch w.kind {
	case firstUnread:
		var err error
		if search.skip, err = q.skipMuted(ctx); err != nil {
			return w, err
		}
		unread, err := q.s.States.Unread(ctx, q.v, q.u.ID, search.mayBeUnread())
		if err != nil {
			return w, err
		}
		search.source, within = q.fromList(unread), []store.Range{{From: 1, To: message.MaxID}}
	case byDate:
		var err error
		if within, err = q.s.Store.Since(ctx, q.v.Realm().ID, w.date); err != nil {
			return w, err
		}
	default:
		return w, nil
	}
	w.kind = newest
	var earliest time.Time
	for _, in := range within {
		first, _, err := search.next(ctx, span{in, false}, 1)
		if err != nil {
			return w, err
		}
		if len(first) > 0 && (w.kind == newest || first[0].SentAt.Before(earliest)) {
			w.kind, w.anchor, earliest = byID, first[0].ID, first[0].SentAt
		}
	}
	return w, nil
}
