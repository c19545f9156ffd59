package app_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// starters are functions and methods that start goroutines: of sync.WaitGroup and errgroup.Group, testing.T, time, kit,
// and of kittest.Server, which starts a second node.
var starters = []string{"Go", "Parallel", "AfterFunc", "Repeat", "EncodeAhead", "Another"}

// raced checks that .ci/raced lists each package that starts goroutines, itself or in its tests, and no others, and
// which of them have tests that are not for the race detector.
func raced(wrong report, files []file) {
	text, err := os.ReadFile(filepath.Join("..", ".ci", "raced"))
	if err != nil {
		wrong("%v", err)
	}
	starts := map[string]string{} // one place in each folder
	unraced := map[string]bool{}
	for _, f := range files {
		if f.benchmark() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if startsGoroutine(n) {
				starts[f.dir()] = f.at(n.Pos())
			}
			if called, ok := n.(*ast.SelectorExpr); ok && called.Sel.Name == "Unraced" {
				unraced[f.dir()] = true
			}
			return true
		})
	}
	var listed []string
	for line := range strings.Lines(string(text)) {
		pattern, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimSpace(line), "+-~"), "./")
		if !ok { // a comment
			continue
		}
		parent, below := strings.CutSuffix(pattern, "/...")
		var found []string
		for dir := range starts { // a line of its own comes before those of its parents
			if dir == parent || below && strings.HasPrefix(dir, parent+"/") && !slices.Contains(listed, dir) {
				found = append(found, dir)
			}
		}
		if len(found) == 0 {
			wrong(".ci/raced lists ./%s, which starts no goroutines", pattern)
		}
		for _, dir := range found {
			if strings.IndexAny(line, "-~") != 0 && strings.HasPrefix(line, "+") != unraced[dir] {
				wrong(".ci/raced must list ./%s with a plus if and only if one of its tests calls testrun.Unraced", dir)
			}
		}
		listed = append(listed, found...)
	}
	for dir, at := range starts {
		if !slices.Contains(listed, dir) {
			wrong("%s: ./%s starts goroutines and is not in .ci/raced", at, dir)
		}
	}
}

func startsGoroutine(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		called, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		of, _ := called.X.(*ast.Ident)
		repeats := of != nil && (of.Name == "strings" || of.Name == "slices" || of.Name == "bytes")
		return slices.Contains(starters, called.Sel.Name) && !repeats
	}
	return false
}
