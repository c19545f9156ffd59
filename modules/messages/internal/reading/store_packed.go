package reading

import (
	"context"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
)

// packedRow is a chunk of facts as it is kept. Whoever changes messages notes it in Changed (internal/store/changed.go).
type packedRow struct {
	bun.BaseModel `bun:"table:message_facts,alias:p"`
	RealmID       realm.ID        `bun:",pk"`
	Chunk         readstate.Chunk `bun:",pk"`
	Version       int64
	Head          string
	List          []byte
	Changed       *string // nil: so many have that the rest is of no use
}

// Chunk gives the facts of the messages of a realm in a chunk: those that are packed, with what was changed and sent since then from
// the rows of the messages.
func (s store) Chunk(ctx context.Context, r realm.ID, n readstate.Chunk) (*facts, error) {
	f, err := s.packed(ctx, r, n)
	if err != nil {
		return nil, err
	}
	more, err := s.Span(ctx, r, f.last(), (n+1).First()-1)
	if err != nil {
		return nil, err
	}
	return f.with(more), nil
}

// packed gives what is packed of a chunk, as it is now; maybe nothing.
func (s store) packed(ctx context.Context, r realm.ID, n readstate.Chunk) (*facts, error) {
	none := &facts{first: n.First()}
	var rows []packedRow
	q := s.db.From(ctx).NewSelect().Model(&rows).Column("head", "list", "changed").Where("realm_id = ?", r).Where("chunk = ?", n)
	if err := q.Scan(ctx); err != nil || len(rows) == 0 {
		return none, err
	}
	row := rows[0]
	if row.Changed == nil || len(row.List) == 0 {
		return none, nil
	}
	f := unpack(n, row.Head, row.List)
	if f == nil {
		return none, nil
	}
	ids, err := noted(*row.Changed)
	if err != nil {
		return nil, err
	}
	ids = ids[:len(ids)-len(ids.From(f.last()+1))] // what was sent since is read as that
	now, err := s.Facts(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	return f.renewed(ids, now), nil
}

// noted reads the ids of packedRow.Changed.
func noted(text string) (idset.Set[message.ID], error) {
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

// Reserve makes sure that from now on the changes of a chunk are noted, and gives its row, without what is packed. In the realm's
// lock: then all changes that are not noted are committed.
func (s store) Reserve(ctx context.Context, r realm.ID, n readstate.Chunk) (packedRow, error) {
	none := ""
	row := packedRow{RealmID: r, Chunk: n, List: []byte{}, Changed: &none}
	_, err := s.db.From(ctx).NewInsert().Model(&row).On("CONFLICT (realm_id, chunk) DO UPDATE").Set("version = ?TableAlias.version + 1").
		Set("head = EXCLUDED.head").Set("list = EXCLUDED.list").Set("changed = EXCLUDED.changed").Where("?TableAlias.changed IS NULL").Exec(ctx)
	if err != nil {
		return row, err
	}
	err = s.db.From(ctx).NewSelect().Model(&row).Column("realm_id", "chunk", "version", "changed").WherePK().Scan(ctx)
	return row, err
}

// Keep stores a chunk that was read after it was reserved. What was noted until it was reserved is in it; what came later stays
// noted. If another was faster, or too much has changed meanwhile, nothing is stored.
func (s store) Keep(ctx context.Context, row packedRow, f *facts) error {
	head, list, err := f.pack()
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewUpdate().Model(&row).WherePK().Where("version = ?", row.Version).Where("changed IS NOT NULL").
		Set("version = version + 1").Set("head = ?", head).Set("list = ?", list).Set("changed = SUBSTR(changed, ?)", len(*row.Changed)+1).Exec(ctx)
	return err
}
