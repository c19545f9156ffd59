package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// leftovers are what an organization has in its data folder besides the database.
var leftovers = []string{"blobs/*", "secret", "zuliprc", "owner-password*", "backups/pre-*.db"}

// checkLeftovers returns an error if the SQLite database is missing and the data folder holds parts of an organization:
// whoever lost its database does not want a new, empty organization next to the remains of theirs.
func checkLeftovers(dir, url string) error {
	path, isMissing := bunstore.MissingSQLite(url)
	if !isMissing {
		return nil
	}
	var found []string
	for _, pattern := range leftovers {
		files, err := filepath.Glob(filepath.Join(quoteGlob(dir), pattern))
		if err != nil {
			return fmt.Errorf("data_dir: %w", err)
		}
		if len(files) > 0 {
			name, _, _ := strings.Cut(pattern, "/")
			if name == pattern {
				name = filepath.Base(files[0])
			}
			found = append(found, name)
		}
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		found = append(found, filepath.Base(path)+"-wal")
	}
	if len(found) == 0 {
		return nil
	}
	state := "does not exist"
	if _, err := os.Stat(path); err == nil {
		state = "is empty"
	}
	restore := "restore the database from a backup"
	if slices.Contains(found, filepath.Base(path)+"-wal") {
		// SQLite would apply the log to any database of that name.
		restore = fmt.Sprintf("delete %[1]s-wal and %[1]s-shm, which would damage another database, and %[2]s",
			filepath.Base(path), restore)
	}
	return fmt.Errorf("data_dir: the database %s %s, but the folder %s holds %s of an organization; %s, or, for a new "+
		"organization, move the folder away or choose another one with --data-dir or STOA_DATA_DIR",
		path, state, dir, strings.Join(found, ", "), restore)
}

// quoteGlob quotes the characters of a path that have a meaning in patterns.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
