package readstate

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// stateStore stores floors and chunks.
type stateStore struct{ db *bunstore.DB }

type floorRow struct {
	bun.BaseModel `bun:"table:read_floor"`
	UserID        user.ID `bun:",pk" owner:"user"`
	Floor         message.ID
}

// chunkRow contains, of a chunk of 65,536 IDs, the unread ones up to the floor and the read ones above it, as Roaring
// bitmaps of offsets within the chunk.
type chunkRow struct {
	bun.BaseModel `bun:"table:read_chunks"`
	UserID        user.ID         `bun:",pk" owner:"user" export:"yes"`
	Chunk         readstate.Chunk `bun:",pk" export:"no"`
	Unread        []byte          `export:"no"`
	Read          []byte          `export:"no"`
}

// ChunkTable declares the table of unread messages, which is exported.
func ChunkTable(doc string) kit.Table { return kit.Exported[chunkRow](doc) }

// Tables declares the other tables of this package.
func Tables() []kit.Table {
	const received = "internal records of which messages users have received"
	return []kit.Table{
		kit.ExportedWithin[floorRow]("read_chunks"),
		kit.NotExported[packedRow](received),
		kit.NotExported[changesRow](received),
	}
}

// load returns users' read states. If chunks is nil, they include all chunks, otherwise only the given ones and those
// at or above the floor. The result omits users without a stored state.
func (s stateStore) load(
	ctx context.Context,
	us []user.ID,
	chunks []readstate.Chunk,
) (map[user.ID]*readstate.State, error) {
	q := s.db.From(ctx).
		NewSelect().
		TableExpr("read_floor AS f").
		Join("LEFT JOIN read_chunks AS c").
		JoinOn("c.user_id = f.user_id")
	if chunks != nil {
		q = q.JoinOn("c.chunk >= (f.floor >> 16) OR c.chunk IN (?)", bun.List(chunks))
	}
	rows, err := q.ColumnExpr("f.user_id, f.floor, c.chunk, c.unread, c.read").Where("f.user_id IN (?)", bun.List(us)).
		OrderExpr("f.user_id, c.chunk").Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err reports the same error
	all := map[user.ID]*readstate.State{}
	for rows.Next() {
		var u user.ID
		var floor message.ID
		var chunk *readstate.Chunk
		var unread, read []byte
		if err := rows.Scan(&u, &floor, &chunk, &unread, &read); err != nil {
			return nil, err
		}
		st := all[u]
		if st == nil {
			st = &readstate.State{Floor: floor}
			all[u] = st
		}
		if chunk == nil {
			continue
		}
		if st.Unread, err = decode(st.Unread, *chunk, unread); err != nil {
			return nil, err
		}
		if st.Read, err = decode(st.Read, *chunk, read); err != nil {
			return nil, err
		}
	}
	return all, rows.Err()
}

// loadNewest returns a user's read state, or nil if none is stored. If more than limit IDs are unread in it, it
// contains only the newest of these, at least limit, and cut is true.
func (s stateStore) loadNewest(
	ctx context.Context, u user.ID, limit int,
) (st *readstate.State, cut bool, err error) {
	rows, err := s.db.From(ctx).QueryContext(ctx, `SELECT f.floor, c.chunk, c.unread, c.read FROM read_floor AS f
		LEFT JOIN read_chunks AS c ON c.user_id = f.user_id WHERE f.user_id = ? ORDER BY c.chunk DESC`, u)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = rows.Close() }() // rows.Err reports the same error
	var unread, read []readstate.IDs    // by chunk, descending
	n := 0
	for rows.Next() {
		var floor message.ID
		var chunk *readstate.Chunk
		var rowUnread, rowRead []byte
		if err := rows.Scan(&floor, &chunk, &rowUnread, &rowRead); err != nil {
			return nil, false, err
		}
		st = &readstate.State{Floor: floor}
		if chunk == nil {
			break
		}
		if n > limit && *chunk < readstate.ChunkOf(floor) { // there are no read IDs below the floor
			cut = true
			break
		}
		here, err := decode(nil, *chunk, rowUnread)
		if err != nil {
			return nil, false, err
		}
		above, err := decode(nil, *chunk, rowRead)
		if err != nil {
			return nil, false, err
		}
		unread, read, n = append(unread, here), append(read, above), n+len(here)
	}
	if st != nil {
		slices.Reverse(unread)
		slices.Reverse(read)
		st.Unread, st.Read = slices.Concat(unread...), slices.Concat(read...)
	}
	return st, cut, rows.Err()
}

// change is a user's read state before and after a change. ChunksObsolete means that all stored chunks are obsolete.
type change struct {
	User           user.ID
	Before         readstate.State
	Now            *readstate.State
	ChunksObsolete bool
}

// save writes the changes: one row per user and one per affected chunk. The realm must be locked.
func (s stateStore) save(ctx context.Context, all []change) error {
	var floors []floorRow
	var set []chunkRow
	var emptied [][]int64
	var wiped []user.ID
	for i := range all {
		c := &all[i]
		before := c.Before
		if c.ChunksObsolete {
			wiped, before = append(wiped, c.User), readstate.State{}
		}
		floors = append(floors, floorRow{UserID: c.User, Floor: c.Now.Floor})
		for _, n := range before.Chunks(c.Now) {
			unread, read := n.Cut(c.Now.Unread), n.Cut(c.Now.Read)
			if len(unread)+len(read) == 0 {
				emptied = append(emptied, []int64{int64(c.User), int64(n)})
				continue
			}
			row := chunkRow{UserID: c.User, Chunk: n}
			var err error
			if row.Unread, err = encode(unread); err != nil {
				return err
			}
			if row.Read, err = encode(read); err != nil {
				return err
			}
			set = append(set, row)
		}
	}
	for some := range slices.Chunk(wiped, block) {
		_, err := s.db.From(ctx).NewDelete().Model((*chunkRow)(nil)).Where("user_id IN (?)", bun.List(some)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(floors, block) {
		_, err := s.db.From(ctx).
			NewInsert().
			Model(&some).
			On("CONFLICT (user_id) DO UPDATE").
			Set("floor = EXCLUDED.floor").
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(set, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (user_id, chunk) DO UPDATE").
			Set("unread = EXCLUDED.unread").Set("read = EXCLUDED.read").Exec(ctx)
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(emptied, block) {
		_, err := s.db.From(ctx).
			NewRaw("DELETE FROM read_chunks WHERE (user_id, chunk) IN (?)", bunstore.Tuples(some)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

func encode(ids readstate.IDs) ([]byte, error) {
	if len(ids) == 0 {
		return []byte{}, nil
	}
	b := bitmap(ids)
	b.RunOptimize()
	return b.ToBytes()
}

// fewRuns is the maximum number of runs that are added one by one. If there are more, all IDs are added at once.
const fewRuns = 16

// bitmap returns the offsets of IDs within a chunk. Unread IDs usually form a few long runs.
func bitmap(ids readstate.IDs) *roaring.Bitmap {
	ends := make([]int, 0, fewRuns)
	for i := 1; i <= len(ids) && len(ends) < fewRuns; i++ {
		if i == len(ids) || ids[i] != ids[i-1]+1 {
			ends = append(ends, i)
		}
	}
	b, from := roaring.New(), 0
	if ends[len(ends)-1] == len(ids) {
		for _, end := range ends {
			b.AddRange(uint64(readstate.Low(ids[from])), uint64(readstate.Low(ids[end-1]))+1)
			from = end
		}
		return b
	}
	low := make([]uint32, len(ids))
	for i, id := range ids {
		low[i] = readstate.Low(id)
	}
	b.AddMany(low)
	return b
}

// decode appends a chunk's IDs to ids, which must all be lower.
func decode(ids readstate.IDs, c readstate.Chunk, stored []byte) (readstate.IDs, error) {
	if len(stored) == 0 {
		return ids, nil
	}
	b := roaring.New()
	if err := b.UnmarshalBinary(stored); err != nil {
		return nil, err
	}
	ids = slices.Grow(ids, int(min(b.GetCardinality(), 1<<readstate.ChunkBits)))
	for _, low := range b.ToArray() {
		ids = append(ids, c.First()+message.ID(low))
	}
	return ids, nil
}

// raiseTo raises users' floors to an ID, and changes nothing else.
func (s stateStore) raiseTo(ctx context.Context, us []user.ID, floor message.ID) error {
	rows := make([]floorRow, len(us))
	for i, u := range us {
		rows[i] = floorRow{UserID: u, Floor: floor}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (user_id) DO UPDATE").
		Set("floor = EXCLUDED.floor").Where("floor_row.floor < EXCLUDED.floor").Exec(ctx)
	return err
}
