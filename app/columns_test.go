package app_test

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode/utf8"
)

// maxColumns is the maximum length of a line in characters; a tab counts as one.
const maxColumns = 120

// columns checks the length of lines, except those that cannot be split.
func columns(wrong report, files []file) {
	for _, f := range files {
		whole := f.unsplittable()
		for i, line := range strings.Split(f.text, "\n") {
			if n := utf8.RuneCountInString(line); n > maxColumns && !whole[i+1] {
				wrong("%s:%d has %d columns; a line has at most %d", f.path, i+1, n, maxColumns)
			}
		}
	}
}

// unsplittable returns the numbers of the lines that contain parts of raw strings, which include the tags of structs,
// and, in tests, of those with a pair of strings in a table.
func (f file) unsplittable() map[int]bool {
	out := map[int]bool{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && n.Value[0] == '`' {
				for l := f.line(n.Pos()); l <= f.line(n.End()); l++ {
					out[l] = true
				}
			}
		case *ast.KeyValueExpr:
			_, key := n.Key.(*ast.BasicLit)
			_, value := n.Value.(*ast.BasicLit)
			if f.test() && key && value {
				out[f.line(n.Pos())] = true
			}
		}
		return true
	})
	return out
}
