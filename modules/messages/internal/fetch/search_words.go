package fetch

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// wordSearch finds candidates in the index of words. That is cheap if the words are rare in the realm, or if many of
// their matches are in the query's conversations. Otherwise, it is cheaper to read the messages of the conversations:
// either many of these match, or there are few.
type wordSearch struct {
	query  *query
	filter store.Filter // including the conversations
	words  [][]string
	rest   candidates // the messages of the conversations
	way    searchWay  // for what remains of the span
	window message.ID // the size of the last range, unless atOnce
	block  int        // the number of messages read last, if byConversations
}

type searchWay int8

const (
	undecided        searchWay = iota
	atOnce                     // all matches of the words
	byConversations            // the messages of the conversations, as long as many of them match
	allConversations           // the messages of the conversations, since there are few
	inWindows                  // the matches of the words, in ranges that grow
)

// The first number of messages to read from the conversations, and the number after which one in minYield must match.
const (
	firstBlock = 128
	judgedAt   = 1000
	minYield   = 16
)

// yield counts messages whose texts a query has read, and those that matched.
type yield struct{ read, matched int }

// candidates implements [candidates].
func (w *wordSearch) candidates(ctx context.Context, s span, n int) ([]message.Message, span, error) {
	if len(w.filter.Recipients) == 0 || s.empty() {
		return nil, s.exhausted(), nil
	}
	if w.way == undecided {
		w.window = store.NearRange
		ms, rest, err := w.inWindow(ctx, s, n)
		if err != nil || len(ms) == n || rest.empty() {
			return ms, rest, err
		}
		few, err := w.query.s.Store.Words.HasFew(ctx, rest.Range, w.words)
		if w.way = byConversations; few {
			w.way = atOnce
		}
		return ms, rest, err
	}
	if y := w.query.search.yield; w.way == byConversations && y.read >= judgedAt && minYield*y.matched < y.read {
		fewer, err := w.query.s.Store.HaveFewer(ctx, w.filter.Recipients, s.Range, store.FewWords)
		if err != nil {
			return nil, s, err
		}
		if w.way = inWindows; fewer {
			w.way = allConversations
		}
	}
	switch w.way {
	case atOnce:
		ms, err := w.query.s.Store.Words.Scan(ctx, s.scan(w.filter, n), w.words)
		return ms, after(s, ms, n), err
	case byConversations, allConversations:
		w.block = max(2*w.block, firstBlock)
		return w.rest(ctx, s, min(n, w.block))
	}
	w.window *= 4
	return w.inWindow(ctx, s, n)
}

// inWindow finds matches in the first w.window IDs of a span.
func (w *wordSearch) inWindow(ctx context.Context, s span, n int) ([]message.Message, span, error) {
	near := s
	if s.down {
		near.From = max(s.From, s.To-w.window+1)
	} else {
		near.To = min(s.To, s.From+w.window-1)
	}
	ms, err := w.query.s.Store.Words.Scan(ctx, near.scan(w.filter, n), w.words)
	switch {
	case len(ms) == n:
		return ms, s.past(ms[n-1].ID), err
	case s.down:
		return ms, s.past(near.From), err
	}
	return ms, s.past(near.To), err
}
