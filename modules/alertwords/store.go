package alertwords

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:alert_words,alias:w"`
	UserID        user.ID `bun:",pk" export:"yes,consent" person:"row"`
	WordKey       string  `bun:",pk" export:"no"`
	RealmID       realm.ID
	Word          string `export:"yes"`
}

// adapt completes an imported word.
func adapt(_ importing.Mapping, r *row) (bool, error) {
	r.WordKey = alertword.Key(r.Word)
	return true, nil
}

// Load returns the words of all users in a realm.
func (s store) Load(ctx context.Context, r realm.ID) (*alertword.Index, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("user_id", "word_key").Where("realm_id = ?", r).Scan(ctx)
	words := map[user.ID][]string{}
	for _, w := range rows {
		words[w.UserID] = append(words[w.UserID], w.WordKey)
	}
	return alertword.NewIndex(words), err
}

// Of returns each user's words as written by the user, in alphabetical order.
func (s store) Of(ctx context.Context, us ...user.ID) (map[user.ID][]string, error) {
	var rows []row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Where("user_id IN (?)", bun.List(us)).
		Order("user_id", "word_key").
		Scan(ctx)
	of := map[user.ID][]string{}
	for _, w := range rows {
		of[w.UserID] = append(of[w.UserID], w.Word)
	}
	return of, err
}

// Add stores new words for a user.
func (s store) Add(ctx context.Context, r realm.ID, u user.ID, words []string) error {
	rows := make([]row, len(words))
	for i, w := range words {
		rows[i] = row{UserID: u, WordKey: alertword.Key(w), RealmID: r, Word: w}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Remove deletes a user's words by key.
func (s store) Remove(ctx context.Context, u user.ID, keys []string) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*row)(nil)).
		Where("user_id = ?", u).
		Where("word_key IN (?)", bun.List(keys)).
		Exec(ctx)
	return err
}
