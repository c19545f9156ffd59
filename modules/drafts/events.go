package drafts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/draft"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// shown is a draft as sent to clients.
type shown struct {
	ID        draft.ID   `json:"id"`
	Kind      draft.Kind `json:"type" doc:"stream, private, or empty for a draft without recipient."`
	To        []int64    `json:"to"`
	Topic     string     `json:"topic"`
	Content   string     `json:"content"`
	Timestamp int64      `json:"timestamp"`
}

func show(ds []draft.Draft) []shown {
	out := make([]shown, len(ds))
	for i, d := range ds {
		out[i] = shown{d.ID, d.Kind, d.To, d.Topic, d.Content, d.Edited.Unix()}
	}
	return out
}

// Payloads of the events. The log contains only IDs. Drafts are read at delivery, and deleted ones are omitted.
type (
	added struct {
		IDs []draft.ID `json:"ids"`
		now []shown
	}
	changed struct {
		ID  draft.ID `json:"id"`
		now *shown
	}
	removed struct {
		ID draft.ID `json:"draft_id"`
	}
	addedWire struct {
		Drafts []shown `json:"drafts"`
	}
	changedWire struct {
		Draft *shown `json:"draft"`
	}
)

var (
	draftsAdded = kit.Event[added]("drafts", "add").Shape(
		func(_ context.Context, _ *directory.View, _ event.Client, e *added) (any, bool) {
			return addedWire{e.now}, len(e.now) > 0
		}).Sends(addedWire{})
	draftChanged = kit.Event[changed]("drafts", "update").Shape(
		func(_ context.Context, _ *directory.View, _ event.Client, e *changed) (any, bool) {
			return changedWire{e.now}, e.now != nil
		}).Sends(changedWire{})
	draftRemoved = kit.Event[removed]("drafts", "remove")
)

// readAdded reads the drafts of a page of events with one query.
func (s *service) readAdded(ctx context.Context, v *directory.View, all []*added) error {
	var ids []draft.ID
	for _, e := range all {
		ids = append(ids, e.IDs...)
	}
	found, err := s.byID(ctx, v.Realm().ID, ids)
	for _, e := range all {
		for _, id := range e.IDs {
			if d, ok := found[id]; ok {
				e.now = append(e.now, d)
			}
		}
	}
	return err
}

// readChanged reads the drafts of a page of events with one query.
func (s *service) readChanged(ctx context.Context, v *directory.View, all []*changed) error {
	ids := make([]draft.ID, len(all))
	for i, e := range all {
		ids[i] = e.ID
	}
	found, err := s.byID(ctx, v.Realm().ID, ids)
	for _, e := range all {
		if d, ok := found[e.ID]; ok {
			e.now = &d
		}
	}
	return err
}

func (s *service) byID(ctx context.Context, r realm.ID, ids []draft.ID) (map[draft.ID]shown, error) {
	ds, err := s.rows.ByID(ctx, r, ids)
	found := make(map[draft.ID]shown, len(ds))
	for _, d := range show(ds) {
		found[d.ID] = d
	}
	return found, err
}
