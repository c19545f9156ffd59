package app_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var document = regexp.MustCompile(`[\w./-]*\w\.md\b`)

// citations holds that comments cite only documents that are in the repository, by their path from its root or from the
// file's folder.
func citations(t *testing.T, files []file) {
	t.Helper()
	for _, f := range files {
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				for _, name := range document.FindAllString(c.Text, -1) {
					if !there(name) && !there(path.Join(f.dir(), name)) {
						t.Errorf("%s: %s is not in the repository", f.at(c.Pos()), name)
					}
				}
			}
		}
	}
}

func there(name string) bool {
	if strings.HasPrefix(name, "..") {
		return false
	}
	_, err := os.Stat(filepath.Join("..", filepath.FromSlash(name)))
	return err == nil
}
