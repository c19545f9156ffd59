package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

// Renderings tracks which messages have been rendered by the current version of the renderer.
type Renderings struct{ db *bunstore.DB }

// Rerender stores messages' new HTML, version and facts. The rows must be locked.
func (s *Store) Rerender(ctx context.Context, ms []message.Message) error {
	if len(ms) == 0 {
		return nil
	}
	rows := make([]row, len(ms))
	for i := range ms {
		rows[i] = rowOf(&ms[i])
		rows[i].ID = ms[i].ID
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (id) DO UPDATE").Set("rendered = EXCLUDED.rendered").
		Set("render_version = EXCLUDED.render_version").Set("facts = EXCLUDED.facts").Exec(ctx)
	return err
}

type rendering struct {
	bun.BaseModel `bun:"table:message_rendering"`
	ID            int64 `bun:",pk"`
	Version       int
	Done          message.ID
}

// UpTo returns the highest ID up to which all messages have been rendered by the given version or a later one. newer
// reports whether a later version has been used; then nothing needs to be done.
func (s *Renderings) UpTo(ctx context.Context, version int) (done message.ID, newer bool, err error) {
	var rows []rendering
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("id = 1").Scan(ctx); err != nil || len(rows) == 0 {
		return 0, false, err
	}
	if rows[0].Version < version {
		return 0, false, nil
	}
	return rows[0].Done, rows[0].Version > version, nil
}

// SetUpTo stores the ID that UpTo returns.
func (s *Renderings) SetUpTo(ctx context.Context, version int, done message.ID) error {
	_, err := s.db.From(ctx).
		NewInsert().
		Model(&rendering{ID: 1, Version: version, Done: done}).
		On("CONFLICT (id) DO UPDATE").
		Set("version = EXCLUDED.version").
		Set("done = EXCLUDED.done").
		Exec(ctx)
	return err
}

// Outdated is a message that was rendered by an older version.
type Outdated struct {
	Realm realm.ID
	ID    message.ID
}

// FindOutdated examines at most limit of the next messages with IDs above after that were sent before the given time.
// It returns those rendered by a version older than the given one, and the highest ID examined, or after if there are
// no more.
func (s *Renderings) FindOutdated(
	ctx context.Context,
	after message.ID,
	before time.Time,
	version, limit int,
) ([]Outdated, message.ID, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("id", "realm_id", "render_version", "sent_at").
		Where("m.id > ?", after).Order("m.id").Limit(int64(limit)).Scan(ctx)
	var out []Outdated
	for _, r := range rows {
		if !r.SentAt.Before(before) {
			break
		}
		if after = r.ID; r.RenderVersion < version {
			out = append(out, Outdated{r.Realm, r.ID})
		}
	}
	return out, after, err
}
