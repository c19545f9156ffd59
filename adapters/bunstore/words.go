package bunstore

import "strings"

// MatchWords returns a condition on a table's full-text index, that a row contains at least one word of each list, and
// the condition's argument. Words consist of letters and digits.
func (db *DB) MatchWords(table string, all [][]string) (condition, argument string) {
	return db.dialect.matchWords(table, all)
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
