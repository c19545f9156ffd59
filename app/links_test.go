package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link       = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	code       = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]+`")
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInNames = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks checks that the relative links of all documents lead to a file and, after #, to one of its headings.
func TestLinks(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if n := d.Name(); d.IsDir() && (n == "node_modules" || n == ".git" || n == ".cache") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, l := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(l[1], ":") {
				continue
			}
			seen++
			if !leads(path, l[1]) {
				t.Errorf("%s: %s leads nowhere", path, l[1])
			}
		}
		return nil
	})
	if err != nil || seen < 50 {
		t.Errorf("%d links: %v", seen, err)
	}
}

// leads reports whether a link in the document from leads to a file, and to a heading if it has an anchor.
func leads(from, to string) bool {
	name, anchor, _ := strings.Cut(to, "#")
	target := filepath.Join(filepath.Dir(from), filepath.FromSlash(name))
	if name == "" {
		target = from
	}
	if anchor == "" {
		_, err := os.Stat(target)
		return err == nil
	}
	text, _ := os.ReadFile(target) // a missing file has no headings
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		if strings.ReplaceAll(notInNames.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}
