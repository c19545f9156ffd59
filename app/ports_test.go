package app_test

import (
	"go/ast"
	"regexp"
)

// reason matches the sentence in the comment of a port that says why it is one.
var reason = regexp.MustCompile(`\bIt\s(isolates|can\sbe\sreplaced\sby|is\sa\sport\sbecause)\s`)

// portReasons checks that each port says why it is one: it isolates a technology, something else may replace it, or
// there is a reason why it is not a query.
func portReasons(wrong report, files []file) {
	for _, f := range files {
		if f.dir() != "ports" {
			continue
		}
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				t, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if _, ok := t.Type.(*ast.InterfaceType); ok && !reason.MatchString(g.Doc.Text()) {
					wrong("%s: the comment of %s does not say why it is a port and not a query (It isolates ..., "+
						"It can be replaced by ..., It is a port because ...)", f.at(t.Pos()), t.Name.Name)
				}
			}
		}
	}
}
