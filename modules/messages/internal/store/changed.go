package store

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
)

// Limits on the changes recorded since facts were packed. If there are more, the packed facts become invalid, and the
// rows are read instead.
const (
	maxRecorded    = 200  // messages per change
	maxRecordedLen = 4000 // length of the list of IDs per chunk, in bytes
)

// recordChanges records that messages were changed or deleted, which makes their packed facts stale
// (readstate/store_packed.go). It must be called whenever a message's conversation, topic or facts change. The realm
// must be locked; packing locks it too, so that no change is missed.
func (s *Store) recordChanges(ctx context.Context, r realm.ID, ids []message.ID) error {
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
	if len(ids) <= maxRecorded {
		args := []any{maxRecordedLen}
		for _, n := range chunks {
			args = append(args, n, string(notes[n]))
		}
		cases := strings.Repeat(" WHEN ? THEN ?", len(chunks))
		set := "changed = CASE WHEN LENGTH(changed) < ? THEN changed || CASE chunk" + cases + " END END"
		_, err := q.Set(set, args...).Exec(ctx)
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

// CountBefore returns how many messages in a topic were sent before a time.
func (s *Store) CountBefore(ctx context.Context, in TopicRef, before time.Time) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("m.recipient_id = ?", in.Recipient).
		Where("m.topic_key = ?", in.Key).Where("m.sent_at < ?", before).Count(ctx)
}

// ChangedSince examines at most limit of a realm's next messages with IDs above after. It returns the IDs of those that
// were sent or edited since a time, and the highest ID examined, or after if there are no more.
func (s *Store) ChangedSince(
	ctx context.Context, r realm.ID, since time.Time, after message.ID, limit int,
) ([]message.ID, message.ID, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("id", "sent_at", "edited_at").Where("m.realm_id = ?", r).
		Where("m.id > ?", after).Order("m.id").Limit(int64(limit)).Scan(ctx)
	var out []message.ID
	for _, one := range rows {
		if after = one.ID; !one.SentAt.Before(since) || !one.EditedAt.Before(since) {
			out = append(out, one.ID)
		}
	}
	return out, after, err
}
