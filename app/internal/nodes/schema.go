package nodes

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// schemaOf identifies a set of migrations by a hash of their names. The files for SQLite stand for those of both
// databases.
func schemaOf(all []bunstore.Migrations) string {
	var names []string
	for _, m := range all {
		if m.FS == nil {
			continue
		}
		files, err := fs.Glob(m.FS, "migrations/sqlite/*.sql")
		if err != nil {
			continue // only for a malformed pattern
		}
		for _, f := range files {
			names = append(names, m.Module+"/"+f)
		}
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return hex.EncodeToString(sum[:8])
}
