package bunstore

import "strings"

// Word is a word of a full text index, or the beginning of one.
type Word struct {
	Text   string // letters and digits
	Prefix bool
}

// MatchWords is a condition on the columns content and topic of table, in which words stand with blanks between: that one word
// of each list is in either. Its one argument comes with it.
func (db *DB) MatchWords(table string, all [][]Word) (condition, argument string) {
	return db.dialect.matchWords(table, all)
}

func (postgresDialect) matchWords(table string, all [][]Word) (string, string) {
	column := func(name string) string { return table + "." + name }
	// As the index is declared.
	return "array_to_tsvector(string_to_array(btrim(" + column("content") + " || ' ' || " + column("topic") + "), ' ')) @@ ?::tsquery",
		query(all, "'", ":*", " | ", " & ")
}

func (sqliteDialect) matchWords(table string, all [][]Word) (string, string) {
	return table + " MATCH ?", query(all, `"`, "*", " OR ", " AND ")
}

func query(all [][]Word, quote, prefix, or, and string) string {
	lists := make([]string, len(all))
	for i, list := range all {
		words := make([]string, len(list))
		for j, w := range list {
			words[j] = quote + strings.ReplaceAll(w.Text, quote, "") + quote
			if w.Prefix {
				words[j] += prefix
			}
		}
		lists[i] = "(" + strings.Join(words, or) + ")"
	}
	return strings.Join(lists, and)
}
