package fetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/render"
)

// page returns a query's messages as sent to clients. The reader must be able to see all of them.
func (s *Service) page(
	ctx context.Context, q *query, heads []message.Message, o render.Options,
) (*render.Page, error) {
	ms, rows, err := s.rows(ctx, q.reader, q, heads, o.HTML)
	if err != nil {
		return nil, err
	}
	found, err := s.Access.Describe(ctx, q.v, q.u, ms)
	if err != nil {
		return nil, err
	}
	return s.encode(ctx, q.reader, q, found, rows, o)
}

// rows returns messages, sorted by ID, and their encoded rows. Those not in the cache are read again and omitted if
// they have been deleted meanwhile. If the query highlights words, the messages have their content, otherwise they may
// lack it.
func (s *Service) rows(
	ctx context.Context, r reader, q *query, heads []message.Message, html bool,
) ([]message.Message, map[message.ID]*render.Row, error) {
	rows := make(map[message.ID]*render.Row, len(heads))
	ms := make([]message.Message, 0, len(heads))
	var missing []message.ID
	for i := range heads {
		h := heads[i]
		row := s.Rows.Get(&h, html)
		if row == nil || q.highlights() {
			missing = append(missing, h.ID)
			continue
		}
		h.Topic, rows[h.ID] = row.Topic, row
		ms = append(ms, h)
	}
	if len(missing) == 0 {
		return ms, rows, nil
	}
	read, err := s.Store.ByID(ctx, r.v.Realm().ID, missing)
	if err != nil {
		return nil, nil, err
	}
	for i := range read {
		m := &read[i]
		if rows[m.ID], err = render.Encode(m, html); err != nil {
			return nil, nil, err
		}
		s.Rows.Put(m, html, rows[m.ID])
	}
	ms = append(ms, read...)
	slices.SortFunc(ms, func(a, b message.Message) int { return cmp.Compare(a.ID, b.ID) })
	return ms, rows, nil
}

// encode returns messages as sent to clients.
func (s *Service) encode(
	ctx context.Context, r reader, q *query, found []access.Found, rows map[message.ID]*render.Row, o render.Options,
) (*render.Page, error) {
	if err := s.attach(ctx, found); err != nil {
		return nil, err
	}
	size := 0
	for i := range found {
		size += objectSize + rows[found[i].ID].Size
	}
	page := render.NewPage(r.v, o, size)
	for i := range found {
		f := &found[i]
		e := render.Entry{Message: &f.Message, Row: rows[f.ID], Members: f.Members, Flags: f.Flags}
		if r.spectates() {
			e.Flags = []string{message.NameRead}
		}
		if q.highlights() {
			content, subject := q.search.matcher.Content(f.Rendered), q.search.matcher.Subject(f.Topic)
			e.MatchContent, e.MatchSubject = &content, &subject
		}
		if err := page.Add(e); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// highlights reports whether messages are sent with the search terms highlighted.
func (q *query) highlights() bool { return q != nil && q.search.hasPositive }
