package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var (
	target = regexp.MustCompile(`(?m)^([a-z-]+):`)
	made   = regexp.MustCompile("(?m)(?:`|^ *|sudo.* )make (?:--no-print-directory )?([a-z-]+)")
	script = regexp.MustCompile(`\.ci/([a-z-]+)`)
)

// TestDocumentedTargets checks that the targets of make and the scripts in .ci that documents, workflows and scripts
// name exist, and that make help describes each target.
func TestDocumentedTargets(t *testing.T) {
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	makefile := read("../Makefile")
	var targets []string
	for _, m := range target.FindAllStringSubmatch(makefile, -1) {
		targets = append(targets, m[1])
		if !regexp.MustCompile(`(?m)^`+m[1]+`:.*## `).MatchString(makefile) && m[1] != "web-if-node" {
			t.Errorf("Makefile: make help does not describe %s", m[1])
		}
	}
	seen := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		own := path == filepath.Join("..", ".ci") || path == filepath.Join("..", ".github")
		if d.IsDir() {
			if n := d.Name(); n == "node_modules" || n == "data" || len(n) > 2 && n[0] == '.' && !own {
				return fs.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext != ".md" && ext != ".yml" && filepath.Base(filepath.Dir(path)) != ".ci" {
			return nil
		}
		text := read(path)
		for _, m := range made.FindAllStringSubmatch(text, -1) {
			if seen++; !slices.Contains(targets, m[1]) {
				t.Errorf("%s: make %s is not in the Makefile", path, m[1])
			}
		}
		for _, m := range script.FindAllStringSubmatch(text, -1) {
			if seen++; !there(".ci/" + m[1]) {
				t.Errorf("%s: .ci/%s does not exist", path, m[1])
			}
		}
		return nil
	})
	if err != nil || seen < 40 {
		t.Errorf("%d found, %v", seen, err)
	}
}
