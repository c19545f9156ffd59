package readstate

import (
	"context"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
)

// packedRow is a packed chunk of facts.
type packedRow struct {
	bun.BaseModel `bun:"table:message_facts,alias:f"`
	RealmID       realm.ID        `bun:",pk"`
	Chunk         readstate.Chunk `bun:",pk"`
	Version       int64
	Head          string
	List          []byte
}

// changesRow lists the messages that have changed since the chunk was packed. It is written by
// internal/store/changed.go.
type changesRow struct {
	bun.BaseModel `bun:"table:message_changes,alias:c"`
	RealmID       realm.ID        `bun:",pk"`
	Chunk         readstate.Chunk `bun:",pk"`
	Version       int64
	Changed       string `bun:",nullzero"` // IDs; NULL in the database if there are too many
}

// chunk returns the facts of a realm's messages in a chunk: from the packed chunk and, for messages changed or sent
// since it was packed, from their rows.
func (s factStore) chunk(ctx context.Context, r realm.ID, n readstate.Chunk) (*facts, error) {
	f, err := s.packed(ctx, r, n)
	if err != nil {
		return nil, err
	}
	more, err := s.span(ctx, r, f.last(), (n+1).First()-1)
	if err != nil {
		return nil, err
	}
	return f.with(more), nil
}

// packed returns the packed messages of a chunk with the changes since it was packed, or an empty chunk.
func (s factStore) packed(ctx context.Context, r realm.ID, n readstate.Chunk) (*facts, error) {
	none := newFacts(n.First())
	var rows []struct {
		Head, Changed string
		List          []byte
	}
	err := s.db.From(ctx).NewSelect().Model((*packedRow)(nil)).Column("f.head", "f.list", "c.changed").
		Join("JOIN message_changes AS c ON c.realm_id = f.realm_id AND c.chunk = f.chunk AND c.version = f.version").
		Where("f.realm_id = ?", r).Where("f.chunk = ?", n).Where("c.changed IS NOT NULL").Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return none, err
	}
	f := unpack(n, rows[0].Head, rows[0].List)
	if f == nil {
		return none, nil
	}
	ids, err := changedIDs(rows[0].Changed)
	if err != nil {
		return nil, err
	}
	ids = ids[:len(ids)-len(ids.From(f.last()+1))] // chunk reads messages sent since
	now, err := s.byID(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	return f.withReplaced(ids, now), nil
}

// changedIDs parses changesRow.Changed.
func changedIDs(text string) (idset.Set[message.ID], error) {
	var ids []message.ID
	for part := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		if part == "" {
			continue
		}
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, message.ID(id))
	}
	return idset.Of(ids...), nil
}

// trackChanges ensures that changes of a chunk are recorded from now on. The realm must be locked, so that all changes
// that were not recorded have been committed.
func (s factStore) trackChanges(ctx context.Context, r realm.ID, n readstate.Chunk) (changesRow, error) {
	_, err := s.db.From(ctx).
		NewRaw(`INSERT INTO message_changes AS c (realm_id, chunk, version, changed) VALUES (?, ?, 0, '')
		ON CONFLICT (realm_id, chunk) DO UPDATE SET version = c.version + 1, changed = '' WHERE c.changed IS NULL`, r, n).
		Exec(ctx)
	row := changesRow{RealmID: r, Chunk: n}
	if err != nil {
		return row, err
	}
	return row, s.db.From(ctx).NewSelect().Model(&row).WherePK().Scan(ctx)
}

// storePacked stores a packed chunk. The chunk must have been read after trackChanges returned at, so that it contains
// the changes recorded in at; later changes remain recorded. If another node has stored the chunk or too much has
// changed in the meantime, storePacked stores nothing.
func (s factStore) storePacked(ctx context.Context, at changesRow, head string, list []byte) error {
	n, err := bunstore.Affected(s.db.From(ctx).
		NewUpdate().
		Model(&at).
		WherePK().
		Where("version = ?", at.Version).
		Where("changed IS NOT NULL").
		Set("version = version + 1").
		Set("changed = SUBSTR(changed, ?)", len(at.Changed)+1).
		Exec(ctx))
	if err != nil || n == 0 {
		return err
	}
	row := packedRow{RealmID: at.RealmID, Chunk: at.Chunk, Version: at.Version + 1, Head: head, List: list}
	_, err = s.db.From(ctx).NewInsert().Model(&row).On("CONFLICT (realm_id, chunk) DO UPDATE").
		Set("version = EXCLUDED.version").Set("head = EXCLUDED.head").Set("list = EXCLUDED.list").Exec(ctx)
	return err
}

// changed returns at most limit packed chunks that contain outdated messages.
func (s factStore) changed(ctx context.Context, limit int) ([]chunkKey, error) {
	var keys []chunkKey
	err := s.db.From(ctx).NewSelect().Model((*changesRow)(nil)).ColumnExpr("c.realm_id AS realm").Column("c.chunk").
		Join("JOIN message_facts AS f ON c.realm_id = f.realm_id AND c.chunk = f.chunk").
		Where("c.changed IS NULL OR c.changed <> ''").Order("c.realm_id", "c.chunk").Limit(int64(limit)).Scan(ctx, &keys)
	return keys, err
}
