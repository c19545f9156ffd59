package store

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// Selected returns the IDs of messages that a module selects, in the range, order and number of a scan, whose filter it
// ignores.
func (s *Store) Selected(ctx context.Context, in kit.Selection, sc Scan) ([]message.ID, error) {
	order := "ASC"
	if sc.Down {
		order = "DESC"
	}
	ids := []message.ID{}
	err := s.db.From(ctx).NewRaw("SELECT DISTINCT o.message_id FROM ("+in.SQL+") AS o WHERE o.message_id BETWEEN ? AND ? "+
		"ORDER BY o.message_id "+order+" LIMIT ?", append(slices.Clone(in.Args), sc.From, sc.To, sc.Limit)...).Scan(ctx, &ids)
	return ids, err
}

// SelectedAmong returns those of the messages that a module selects.
func (s *Store) SelectedAmong(ctx context.Context, in kit.Selection, ids []message.ID) (map[message.ID]bool, error) {
	all := make(map[message.ID]bool, len(ids))
	for part := range slices.Chunk(ids, perList) {
		var has []message.ID
		err := s.db.From(ctx).NewRaw("SELECT o.message_id FROM ("+in.SQL+") AS o WHERE o.message_id IN (?)",
			append(slices.Clone(in.Args), bun.List(part))...).Scan(ctx, &has)
		if err != nil {
			return nil, err
		}
		for _, id := range has {
			all[id] = true
		}
	}
	return all, nil
}
