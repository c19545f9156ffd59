package bunstore

import (
	"context"

	"github.com/uptrace/bun"
)

// Secret returns the secret in the single row of a table, after storing fresh if the table is empty. The table has the
// columns id, which is 1, and secret. Secret must run inside a transaction.
func (db *DB) Secret(ctx context.Context, table, fresh string) (string, error) {
	at := bun.Ident(table)
	_, err := db.From(ctx).
		NewRaw("INSERT INTO ? (id, secret) VALUES (1, ?) ON CONFLICT (id) DO NOTHING", at, fresh).
		Exec(ctx)
	if err != nil {
		return "", err
	}
	var text string
	err = db.From(ctx).NewRaw("SELECT secret FROM ? WHERE id = 1", at).Scan(ctx, &text)
	return text, err
}
