package snippets

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/snippet"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:saved_snippets,alias:s"`
	ID            snippet.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	UserID        user.ID   `export:"yes,consent" person:"row"`
	Title         string    `export:"yes"`
	Content       string    `export:"yes"`
	CreatedAt     time.Time `export:"yes"`
}

func (r row) snippet() snippet.Snippet {
	return snippet.Snippet{ID: r.ID, Title: r.Title, Content: r.Content, Created: r.CreatedAt}
}

func snippetsOf(rows []row) []snippet.Snippet {
	out := make([]snippet.Snippet, len(rows))
	for i, r := range rows {
		out[i] = r.snippet()
	}
	return out
}

// Of returns a user's snippets, oldest first. snippet.MaxSnippets limits their number.
func (s store) Of(ctx context.Context, u user.ID) ([]snippet.Snippet, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Order("id").Scan(ctx)
	return snippetsOf(rows), err
}

// ByID returns the realm's existing snippets with these IDs.
func (s store) ByID(ctx context.Context, r realm.ID, ids []snippet.ID) ([]snippet.Snippet, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).
		Where("id IN (?)", bun.List(ids)).Scan(ctx)
	return snippetsOf(rows), err
}

// Get returns a user's snippet, and false if it does not exist.
func (s store) Get(ctx context.Context, r realm.ID, u user.ID, id snippet.ID) (snippet.Snippet, bool, error) {
	var one row
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).Where("realm_id = ?", r).Where("user_id = ?", u).
		Where("id = ?", id).Scan(ctx))
	return one.snippet(), found, err
}

// Others returns the number and total size of a user's snippets, except the snippet with the given ID.
func (s store) Others(ctx context.Context, u user.ID, except snippet.ID) (snippet.Total, error) {
	var t snippet.Total
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).ColumnExpr("COUNT(*)").
		ColumnExpr("COALESCE(SUM(OCTET_LENGTH(title) + OCTET_LENGTH(content)), 0)").
		Where("user_id = ?", u).Where("id <> ?", except).Scan(ctx, &t.Snippets, &t.Bytes)
	return t, err
}

// Insert stores a new snippet and returns its ID.
func (s store) Insert(ctx context.Context, r realm.ID, u user.ID, one snippet.Snippet) (snippet.ID, error) {
	added := row{RealmID: r, UserID: u, Title: one.Title, Content: one.Content, CreatedAt: one.Created}
	_, err := s.db.From(ctx).NewInsert().Model(&added).Returning("id").Exec(ctx)
	return added.ID, err
}

// Update stores a snippet's title and content.
func (s store) Update(ctx context.Context, r realm.ID, one snippet.Snippet) error {
	_, err := s.db.From(ctx).NewUpdate().Model(&row{ID: one.ID, Title: one.Title, Content: one.Content}).
		Column("title", "content").WherePK().Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Delete deletes a user's snippet and reports whether it existed.
func (s store) Delete(ctx context.Context, r realm.ID, u user.ID, id snippet.ID) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Where("user_id = ?", u).
		Where("id = ?", id).Exec(ctx))
}

// DeleteOf deletes all of a user's snippets.
func (s store) DeleteOf(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}
