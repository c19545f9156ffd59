package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// leftovers are what an organization has in its data folder besides the database.
var leftovers = []string{"blobs/*", "secret", "zuliprc", "owner-password*", "before-*.db"}

// checkLeftovers refuses to create a SQLite database if the data folder holds parts of an organization whose database
// is gone: whoever lost that does not want a new, empty organization next to the remains of theirs.
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
	return fmt.Errorf("data_dir: the database %s %s, but the folder %s holds %s of an organization; restore the database "+
		"from a backup, or, for a new organization, move the folder away or choose another one with --data-dir or "+
		"STOA_DATA_DIR", path, state, dir, strings.Join(found, ", "))
}

// quoteGlob quotes the characters of a path that have a meaning in patterns.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
