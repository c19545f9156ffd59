package previews

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

// queued is a message whose linked pages have not been read yet.
type queued struct {
	bun.BaseModel `bun:"table:preview_queue,alias:q"`
	MessageID     message.ID `bun:",pk"`
	RealmID       realm.ID
	Pages         []string `bun:"type:text"`
	DueAt         time.Time
	Tries         int
	Holder        string // the node that reads the pages; "" if none does
}

// page is a cached page.
type page struct {
	bun.BaseModel `bun:"table:preview_pages,alias:p"`
	Key           string `bun:",pk"`
	Found         bool
	Title         string
	Description   string
	Image         string
	ReadAt        time.Time
}

func pageOf(address string, found bool, e markdown.Embed, at time.Time) page {
	return page{Key: key(address), Found: found, Title: e.Title, Description: e.Description, Image: e.Image, ReadAt: at}
}

func (p *page) embed() markdown.Embed {
	return markdown.Embed{Title: p.Title, Description: p.Description, Image: p.Image}
}

// key returns a fixed-length key for an address.
func key(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:])
}

// block is the maximum number of rows in one statement.
const block = 1000

// earliest selects when the first queued message is due.
const earliest = "SELECT min(due_at) FROM preview_queue"

// Queue adds messages to the queue. For messages already in the queue, it replaces the pages and resets the attempts.
func (s store) Queue(ctx context.Context, qs []queued) error {
	for some := range slices.Chunk(qs, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (message_id) DO UPDATE").Set("pages = EXCLUDED.pages").
			Set("due_at = EXCLUDED.due_at").Set("tries = 0").Set("holder = ''").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Drop removes messages from the queue.
func (s store) Drop(ctx context.Context, ids ...message.ID) error {
	for some := range slices.Chunk(ids, block) {
		q := s.db.From(ctx).NewDelete().Model((*queued)(nil)).Where("message_id IN (?)", bun.List(some))
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Queued returns the next of a realm's messages in the queue.
func (s store) Queued(ctx context.Context, r realm.ID, after message.ID, limit int) (ids []message.ID, err error) {
	err = s.db.From(ctx).NewSelect().Model((*queued)(nil)).Column("message_id").Where("q.realm_id = ?", r).
		Where("q.message_id > ?", after).Order("q.message_id").Limit(int64(limit)).Scan(ctx, &ids)
	return ids, err
}

// Due reports whether any queued message is due.
func (s store) Due(ctx context.Context, now time.Time) (bool, error) {
	var ids []message.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*queued)(nil)).
		Column("message_id").
		Where("q.due_at <= ?", now).
		Limit(1).
		Scan(ctx, &ids)
	return len(ids) > 0, err
}

// Take returns up to limit due messages and reserves them until the given time. It must be called inside Do.
func (s store) Take(ctx context.Context, holder string, now, until time.Time, limit int) ([]queued, error) {
	var qs []queued
	q := s.db.From(ctx).
		NewSelect().
		Model(&qs).
		Where("q.due_at <= ?", now).
		Order("q.due_at", "q.message_id").
		Limit(int64(limit))
	if err := s.db.ForUpdate(q).Scan(ctx); err != nil || len(qs) == 0 {
		return nil, err
	}
	ids := make([]message.ID, len(qs))
	for i := range qs {
		qs[i].Tries++
		ids[i] = qs[i].MessageID
	}
	_, err := s.db.From(ctx).NewUpdate().Model((*queued)(nil)).Set("due_at = ?", until).Set("tries = tries + 1").
		Set("holder = ?", holder).
		Where("message_id IN (?)", bun.List(ids)).Exec(ctx)
	return qs, err
}

// Release ends an attempt that has failed. The next one is made when the messages are due.
func (s store) Release(ctx context.Context, holder string, qs []queued) error {
	ids := make([]message.ID, len(qs))
	for i := range qs {
		ids[i] = qs[i].MessageID
	}
	_, err := s.db.From(ctx).NewUpdate().Model((*queued)(nil)).Set("holder = ''").
		Where("message_id IN (?)", bun.List(ids)).Where("holder = ?", holder).Exec(ctx)
	return err
}

// Done removes messages from the queue, unless they have been queued again.
func (s store) Done(ctx context.Context, qs []queued) error {
	keys := make([][]any, len(qs))
	for i, q := range qs {
		keys[i] = []any{q.MessageID, q.Tries}
	}
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*queued)(nil)).
		Where("(message_id, tries) IN (?)", bunstore.Tuples(keys)).
		Exec(ctx)
	return err
}

// Cached returns the cached pages among addresses, by address.
func (s store) Cached(ctx context.Context, addresses []string) (map[string]page, error) {
	out := map[string]page{}
	for some := range slices.Chunk(addresses, block) {
		by := make(map[string]string, len(some))
		keys := make([]string, len(some))
		for i, address := range some {
			keys[i] = key(address)
			by[keys[i]] = address
		}
		var rows []page
		if err := s.db.From(ctx).NewSelect().Model(&rows).Where("p.key IN (?)", bun.List(keys)).Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[by[r.Key]] = r
		}
	}
	return out, nil
}

// Save caches pages, replacing older content.
func (s store) Save(ctx context.Context, ps []page) error {
	for some := range slices.Chunk(ps, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (key) DO UPDATE").Set("found = EXCLUDED.found").
			Set("title = EXCLUDED.title").Set("description = EXCLUDED.description").Set("image = EXCLUDED.image").
			Set("read_at = EXCLUDED.read_at").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Trim deletes up to limit cached pages except the keep most recently read ones, and returns the number of deleted
// pages.
func (s store) Trim(ctx context.Context, keep, limit int) (int64, error) {
	return bunstore.Affected(s.db.From(ctx).NewRaw(`DELETE FROM preview_pages WHERE key IN
		(SELECT key FROM preview_pages ORDER BY read_at DESC, key LIMIT ? OFFSET ?)`, limit, keep).Exec(ctx))
}
