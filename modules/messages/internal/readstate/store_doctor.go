package readstate

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// diagnoses returns the package's checks of stoa doctor.
func (s *Service) diagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "readstate", Doc: "Each user's unread messages can be read, and are on the right side of the floor.",
		Wrong: []kit.Wrong{{
			Table: "read_chunks", Where: "NOT EXISTS (SELECT 1 FROM read_floor f WHERE f.user_id = r.user_id)",
			Text: "belong to a user without a floor", Fix: kit.Delete,
		}},
		Run: s.examineChunks, Fix: s.repairChunks,
	}}
}

// perExamination is how many chunks one query reads.
const perExamination = 1000

// damagedChunk is a chunk that is not what the package would have stored.
type damagedChunk struct {
	User   user.ID
	Chunk  readstate.Chunk
	Unread readstate.IDs // what remains of it; empty if it cannot be decoded
	Read   readstate.IDs
}

// damaged calls fn with each damaged chunk.
func (s stateStore) damaged(ctx context.Context, fn func(damagedChunk) error) error {
	after := chunkRow{UserID: -1}
	for {
		var rows []struct {
			chunkRow
			Floor message.ID
		}
		err := s.db.From(ctx).NewSelect().TableExpr("read_chunks AS c").Join("JOIN read_floor AS f ON f.user_id = c.user_id").
			ColumnExpr("c.user_id, c.chunk, c.unread, c.read, f.floor").
			Where("(c.user_id, c.chunk) > (?, ?)", after.UserID, after.Chunk).OrderExpr("c.user_id, c.chunk").
			Limit(perExamination).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			if d, bad := examined(&r.chunkRow, r.Floor); bad {
				if err := fn(d); err != nil {
					return err
				}
			}
		}
		after = rows[len(rows)-1].chunkRow
	}
}

// examined returns what remains of a chunk if it is damaged.
func examined(r *chunkRow, floor message.ID) (damagedChunk, bool) {
	d := damagedChunk{User: r.UserID, Chunk: r.Chunk}
	unread, err := decode(nil, r.Chunk, r.Unread)
	if err != nil {
		return d, true
	}
	read, err := decode(nil, r.Chunk, r.Read)
	if err != nil {
		return d, true
	}
	for _, id := range unread {
		if id <= floor {
			d.Unread = append(d.Unread, id)
		}
	}
	for _, id := range read {
		if id > floor {
			d.Read = append(d.Read, id)
		}
	}
	return d, len(d.Unread) < len(unread) || len(d.Read) < len(read)
}

func (s *Service) examineChunks(ctx context.Context) ([]kit.Finding, error) {
	var all []kit.Finding
	err := s.states.damaged(ctx, func(d damagedChunk) error {
		all = append(all, kit.Finding{Text: fmt.Sprintf("the unread messages of user %d in chunk %d are damaged", d.User,
			d.Chunk)})
		return nil
	})
	return all, err
}

// repairChunks drops what is wrong in chunks: messages then count as read up to the floor, and as unread above it.
func (s *Service) repairChunks(ctx context.Context) error {
	return s.states.damaged(ctx, func(d damagedChunk) error {
		unread, err := encode(d.Unread)
		if err != nil {
			return err
		}
		read, err := encode(d.Read)
		if err != nil {
			return err
		}
		return s.needs.Work.Do(ctx, func(ctx context.Context) error {
			q := s.states.db.From(ctx)
			if len(unread)+len(read) == 0 {
				_, err := q.NewDelete().Model((*chunkRow)(nil)).Where("user_id = ? AND chunk = ?", d.User, d.Chunk).Exec(ctx)
				return err
			}
			_, err := q.NewUpdate().Model(&chunkRow{UserID: d.User, Chunk: d.Chunk, Unread: unread, Read: read}).WherePK().
				Exec(ctx)
			return err
		})
	})
}
