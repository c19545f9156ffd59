package events

import (
	"context"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// page is the maximum number of log entries read at once.
const page = 1000

// eventArray holds a queue's events as the beginning of a JSON array.
type eventArray struct {
	text []byte
	n    int
	last event.ID // of the events
	live []*live  // what is measured about the events
}

// array returns the complete JSON array.
func (f *eventArray) array() []byte {
	if f.n == 0 {
		return []byte("[]")
	}
	return append(f.text, ']')
}

func (f *eventArray) add(id event.ID, fields, personal []byte) {
	sep := byte(',')
	if f.n == 0 {
		sep = '['
		f.text = slices.Grow(f.text, len(fields)+len(personal)+40)
	}
	f.text = strconv.AppendInt(append(append(f.text, sep), `{"id":`...), int64(id), 10)
	f.text = append(append(f.text, fields...), personal...)
	f.text = append(f.text, '}')
	f.n++
	f.last = id
}

// addAll adds the events of an entry after since. An event's ID does not depend on which other events are delivered.
func (f *eventArray) addAll(seq event.Seq, since event.ID, forms [][]byte, personal []byte) {
	for i, fields := range forms {
		if id := event.NewID(seq, int64(i)+1); id > since && fields != nil {
			f.add(id, fields, personal)
		}
	}
}

// collect returns the queue's events with IDs after since that belong to log entries after clean, and the position up
// to which the result is complete. Entries that are not in memory (after a restart, on another node, after a long
// pause) are read from the log. In both cases they are evaluated against the view as of the entry, so the result is the
// same. Errors: BadEventQueue.
func (s *service) collect(
	ctx context.Context,
	h *hub,
	q *queue,
	since event.ID,
	clean event.Seq,
) (*eventArray, event.Seq, error) {
	h.mu.Lock()
	pos, altered, recent := h.pos, h.altered, h.recent
	h.mu.Unlock()
	out := &eventArray{}
	if clean >= pos {
		return out, clean, nil
	}
	// Load the view after reading the position, so that it includes all these entries. An older view would lack their
	// changes, and they would never be delivered.
	v, err := s.Directory.View(ctx, h.realm)
	if err != nil {
		return nil, 0, err
	}
	if pos-clean > event.Seq(s.cfg.MaxReplay) {
		return nil, 0, s.deleteQueue(ctx, h, q)
	}
	first := pos - event.Seq(len(recent)) + 1
	for clean+1 < first {
		items, err := s.read(ctx, h.realm, clean, first-1)
		if errs.Is(err, errs.BadEventQueue) {
			return nil, 0, s.deleteQueue(ctx, h, q)
		}
		if err != nil {
			return nil, 0, err
		}
		if len(items) == 0 {
			clean = first - 1
			break
		}
		clean = items[len(items)-1].entry.Seq
		if err := s.collectItems(ctx, v, q, since, items, out,
			func(wanted []*item) error { return s.complete(ctx, v, wanted) }); err != nil {
			return nil, 0, err
		}
		if out.n > s.cfg.MaxMatching {
			return nil, 0, s.deleteQueue(ctx, h, q)
		}
	}
	err = s.collectItems(
		ctx,
		v,
		q,
		since,
		recent[clean+1-first:],
		out,
		func(wanted []*item) error { return s.share(ctx, h, v, altered, wanted) },
	)
	if err == nil && out.n > s.cfg.MaxMatching {
		err = s.deleteQueue(ctx, h, q)
	}
	return out, pos, err
}

// read returns at most a page of entries from after (exclusive) to last (inclusive), each with the view as of the
// entry.
func (s *service) read(ctx context.Context, r realm.ID, after, last event.Seq) ([]*item, error) {
	entries, _, err := s.Reader.After(ctx, r, after, int(min(page, last-after)))
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(entries, func(e event.Entry) bool { return e.Seq > last }); i >= 0 {
		entries = entries[:i]
	}
	if len(entries) == 0 {
		return nil, nil
	}
	views, err := s.Directory.As(ctx, r, entries)
	if err != nil {
		return nil, err
	}
	items := make([]*item, len(entries))
	for i, e := range entries {
		items[i] = s.item(e, views[i])
	}
	return items, nil
}

// share completes items that several queues deliver. The first caller loads the content for all queues.
func (s *service) share(ctx context.Context, h *hub, v *directory.View, altered event.Seq, wanted []*item) error {
	stale := func(it *item) bool { return it.stale(altered) }
	if !slices.ContainsFunc(wanted, stale) {
		return nil
	}
	h.load.Lock()
	defer h.load.Unlock()
	var missing []*item
	for _, it := range wanted {
		if stale(it) {
			missing = append(missing, it)
		}
	}
	return s.complete(ctx, v, missing)
}

// collectItems adds the items that the queue receives to out. Content is loaded at delivery, so permission is also
// checked then: the receiver must have been addressed as of the entry, and personal fields also depend on the current
// view.
func (s *service) collectItems(
	ctx context.Context,
	v *directory.View,
	q *queue,
	since event.ID,
	items []*item,
	out *eventArray,
	complete func([]*item) error,
) error {
	who := v.User(q.user)
	if who == nil || !who.Active {
		return user.AccountDeactivated()
	}
	var wanted []*item
	for _, it := range items {
		if it.kind != nil && q.accepts(it.entry.Type) &&
			(it.entry.To.Includes(it.view, q.user) || q.beyondAudience(it.kind) && !who.IsGuest()) {
			wanted = append(wanted, it)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if err := complete(wanted); err != nil {
		return err
	}
	for _, it := range wanted {
		had := out.n
		if err := s.deliver(ctx, v, q, who, since, it, out); err != nil {
			// One event that cannot be encoded must not block the queue.
			s.Log.Error("event can't be delivered", "realm", q.realm, "seq", it.entry.Seq, "type", it.entry.Type, "error", err)
		}
		if it.live != nil && out.n > had {
			out.live = append(out.live, it.live)
		}
	}
	return nil
}

func (s *service) deliver(
	ctx context.Context,
	v *directory.View,
	q *queue,
	who *user.User,
	since event.ID,
	it *item,
	out *eventArray,
) error {
	c := it.content.Load()
	if c.payload == nil {
		return nil
	}
	var personal []byte
	addressed := it.entry.To.Includes(it.view, q.user)
	r := event.Receiver{User: who, View: it.view, Head: v, Addressed: addressed, Queue: q.spec.Queue}
	if it.kind.PerReceiver != nil && addressed {
		if events, own := it.kind.PerReceiver(r, c.payload); own {
			forms, err := it.encode(events)
			if err == nil {
				out.addAll(it.entry.Seq, since, forms, nil)
			}
			return err
		}
	}
	if it.kind.Personal != nil {
		fields, ok := it.kind.Personal(r, c.payload)
		if !ok {
			return nil
		}
		if fields != nil {
			var err error
			if personal, err = c.personal(fields); err != nil {
				return err
			}
		}
	} else if !addressed {
		return nil
	}
	forms, err := it.form(ctx, c, q.spec.Client)
	if err != nil {
		return err
	}
	out.addAll(it.entry.Seq, since, forms, personal)
	return nil
}
