package conformance_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// webCall matches a request in the web client's source: an expression for its method, and its path.
var (
	webCall     = regexp.MustCompile(`\.call(?:<[^(]*>)?\(\s*((?:[^,()]|\([^)]*\))+),\s*['\x60]([^'\x60]+)['\x60]`)
	webMethod   = regexp.MustCompile(`'(GET|POST|PATCH|DELETE)'`)
	webVariable = regexp.MustCompile(`\$\{[^}]*\}`)
)

// TestWebClientCallsExistingRoutes checks that every request in the web client's source has a route.
func TestWebClientCallsExistingRoutes(t *testing.T) {
	harness.SQLiteSuffices(t, "it reads only declarations")
	s := startAll(t)
	var known []string
	for _, e := range s.Ports.Collected.Endpoints {
		known = append(known, e.Method+" "+variable.ReplaceAllString(e.Path, "*"))
	}
	found := 0
	err := filepath.WalkDir("../../../modules/web/ui/src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".ts" && filepath.Ext(path) != ".svelte" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range webCall.FindAllSubmatch(text, -1) {
			call := webVariable.ReplaceAllString(string(m[2]), "*")
			for _, method := range webMethod.FindAllSubmatch(m[1], -1) {
				found++
				if one := string(method[1]) + " " + call; !slices.Contains(known, one) {
					t.Errorf("%s calls %s, which is not a route", strings.TrimPrefix(path, "../../../"), one)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 60 {
		t.Errorf("only %d calls were found", found)
	}
}
