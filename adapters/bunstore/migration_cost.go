package bunstore

import (
	"context"
	"regexp"
	"slices"
)

// worked matches the tables that a statement of a migration reads or changes as a whole. Adding a column takes no time.
var worked = regexp.MustCompile(`(?i)\b(?:INDEX\s+(?:IF NOT EXISTS\s+)?\w+\s+ON|UPDATE|FROM|DELETE FROM)\s+(\w+)`)

// Work returns about how many bytes of existing tables with their indexes the given steps read or write.
func (db *DB) Work(ctx context.Context, all []Migrations, steps []Step) (bytes int64, err error) {
	for _, s := range steps {
		text, err := db.statements(fsOf(all, s.Module), s.Name)
		if err != nil {
			return 0, err
		}
		var tables []string
		for _, m := range worked.FindAllStringSubmatch(text, -1) {
			tables = append(tables, m[1])
		}
		slices.Sort(tables)
		for _, t := range slices.Compact(tables) {
			var size int64
			if err := db.From(ctx).NewRaw(db.dialect.tableBytes(), t).Scan(ctx, &size); err != nil {
				return 0, err
			}
			bytes += size
		}
	}
	return bytes, nil
}
