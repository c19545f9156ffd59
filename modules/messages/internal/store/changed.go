package store

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
)

// How much is noted of what has changed since facts were packed: beyond it they are of no use, and the rows are read.
const (
	maxNoted    = 200  // messages of one change
	maxNotedLen = 4000 // bytes of one chunk's ids
)

// changed notes that messages are not what they were, or are gone, where their facts are kept packed
// (reading/store_packed.go). Whoever changes a message's place, topic or facts must call it. In the realm's lock only:
// whoever begins to pack facts holds it too, so that no change goes unnoted.
func (s *Store) changed(ctx context.Context, r realm.ID, ids []message.ID) error {
	notes := map[readstate.Chunk][]byte{}
	for _, id := range ids {
		n := readstate.ChunkOf(id)
		notes[n] = append(strconv.AppendInt(notes[n], int64(id), 10), ',')
	}
	chunks := slices.Sorted(maps.Keys(notes))
	q := s.db.From(ctx).
		NewUpdate().
		Table("message_changes").
		Where("realm_id = ?", r).
		Where("chunk IN (?)", bun.List(chunks)).
		Where("changed IS NOT NULL")
	if len(ids) <= maxNoted {
		args := []any{maxNotedLen}
		for _, n := range chunks {
			args = append(args, n, string(notes[n]))
		}
		_, err := q.Set("changed = CASE WHEN LENGTH(changed) < ? THEN changed || CASE chunk"+strings.Repeat(" WHEN ? THEN ?",
			len(chunks))+" END END", args...).
			Exec(ctx)
		return err
	}
	if _, err := q.Set("changed = NULL").Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).
		NewDelete().
		Table("message_facts").
		Where("realm_id = ?", r).
		Where("chunk IN (?)", bun.List(chunks)).
		Exec(ctx)
	return err
}
