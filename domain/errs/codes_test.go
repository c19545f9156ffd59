package errs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
)

func TestCodes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errs.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range errs.Codes() {
		listed[string(c)] = true
	}
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != "Code" {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || !listed[text] {
			t.Errorf("%s (%v) is not in Codes", text, err)
		}
		declared++
		return true
	})
	if declared != len(listed) {
		t.Errorf("%d codes are declared, %d listed", declared, len(listed))
	}
}
