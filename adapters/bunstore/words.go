package bunstore

import (
	"context"
	"strings"
)

// MatchWords returns a condition on a table's full-text index, that a row contains at least one word of each list, and
// the condition's argument. Words consist of letters and digits.
func (db *DB) MatchWords(table string, all [][]string) (condition, argument string) {
	return db.dialect.matchWords(table, all)
}

// mergePages is how many pages of a full-text index a transaction writes again.
const mergePages = 500

// MergeWords writes part of a table's full-text index again, so that words of deleted rows disappear from it. The first
// call begins; the following ones continue while it reports that more is left. Otherwise such words remain in the file
// until the database merges their part of the index, which may take years. It must run inside a transaction.
func (db *DB) MergeWords(ctx context.Context, table string, first bool) (more bool, err error) {
	statement := db.dialect.mergeWords(table)
	if statement == "" {
		return false, nil
	}
	pages := mergePages
	if first {
		pages = -pages // merges everything, not only what is due
	}
	var before, after int64
	q := db.From(ctx)
	if err := q.NewRaw("SELECT total_changes()").Scan(ctx, &before); err != nil {
		return false, err
	}
	if _, err := q.NewRaw(statement, pages).Exec(ctx); err != nil {
		return false, err
	}
	err = q.NewRaw("SELECT total_changes()").Scan(ctx, &after)
	return after-before >= 2, err // see https://www.sqlite.org/fts5.html#the_merge_command
}

// mergeWords returns "": VACUUM removes deleted rows from indexes.
func (postgresDialect) mergeWords(string) string { return "" }

func (sqliteDialect) mergeWords(table string) string {
	return "INSERT INTO " + table + "(" + table + ", rank) VALUES ('merge', ?)"
}

func (postgresDialect) matchWords(table string, all [][]string) (string, string) {
	return table + ".words @@ ?::tsquery", query(all, "'", " | ", " & ")
}

func (sqliteDialect) matchWords(table string, all [][]string) (string, string) {
	return table + " MATCH ?", query(all, `"`, " OR ", " AND ")
}

func query(all [][]string, quote, or, and string) string {
	lists := make([]string, len(all))
	for i, list := range all {
		words := make([]string, len(list))
		for j, w := range list {
			words[j] = quote + strings.NewReplacer(quote, "", `\`, "").Replace(w) + quote
		}
		lists[i] = "(" + strings.Join(words, or) + ")"
	}
	return strings.Join(lists, and)
}
