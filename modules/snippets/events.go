package snippets

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/snippet"
	"github.com/stoachat/stoa/modules/kit"
)

// wireSnippet is a snippet in responses and events.
type wireSnippet struct {
	ID      snippet.ID `json:"id"`
	Title   string     `json:"title"`
	Content string     `json:"content"`
	Created int64      `json:"date_created"` // Unix seconds
}

func toWire(all []snippet.Snippet) []wireSnippet {
	out := make([]wireSnippet, len(all))
	for i, s := range all {
		out[i] = wireSnippet{ID: s.ID, Title: s.Title, Content: s.Content, Created: s.Created.Unix()}
	}
	return out
}

type (
	// stored is the logged payload of add and update events.
	stored struct {
		ID      snippet.ID `json:"id"`
		current *wireSnippet
	}
	storedWire struct {
		Snippet *wireSnippet `json:"saved_snippet"`
	}
	removed struct {
		ID snippet.ID `json:"saved_snippet_id"`
	}
)

var (
	snippetAdded   = kit.Event[stored]("saved_snippets", "add").Shape(shape).Sends(storedWire{})
	snippetChanged = kit.Event[stored]("saved_snippets", "update").Shape(shape).Sends(storedWire{})
	snippetRemoved = kit.Event[removed]("saved_snippets", "remove")
)

// shape drops events about snippets that have been deleted in the meantime.
func shape(_ context.Context, _ *directory.View, _ event.Client, e *stored) (any, bool) {
	return storedWire{e.current}, e.current != nil
}

// load reads the snippets of a page of events in one query.
func (s *service) load(ctx context.Context, v *directory.View, page []*stored) error {
	ids := make([]snippet.ID, len(page))
	for i, e := range page {
		ids[i] = e.ID
	}
	all, err := s.rows.ByID(ctx, v.Realm().ID, ids)
	if err != nil {
		return err
	}
	byID := make(map[snippet.ID]wireSnippet, len(all))
	for _, one := range toWire(all) {
		byID[one.ID] = one
	}
	for _, e := range page {
		if one, ok := byID[e.ID]; ok {
			e.current = &one
		}
	}
	return nil
}
