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

// citations checks that comments cite only documents in the repository, by a path from its root or from the file's
// folder.
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

// documented checks that each module has a doc.go with its purpose, tables, events and ports.
func documented(t *testing.T, files []file) {
	t.Helper()
	has := map[string]bool{}
	for _, f := range files {
		parts := strings.Split(f.dir(), "/")
		if len(parts) == 2 && parts[0] == "modules" && parts[1] != "kit" && parts[1] != "standard" {
			has[f.dir()] = has[f.dir()] || f.base() == "doc.go" && f.ast.Doc != nil
		}
	}
	for dir, ok := range has {
		if !ok {
			t.Errorf("%s has no doc.go with a comment on the package", dir)
		}
	}
}
