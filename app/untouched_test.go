package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	isEvent    = regexp.MustCompile(`^(\w+) is a hook event\b`)
	isQuestion = regexp.MustCompile(`^(\w+) is a query\b`)
)

// declarations returns the hook events and the questions that domain declares, as "domain/user.Joined".
var declarations = sync.OnceValues(func() (events, questions map[string]bool) {
	events, questions = map[string]bool{}, map[string]bool{}
	root := filepath.Join("..", "domain")
	_ = filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel("..", filepath.Dir(p))
		for _, c := range f.Comments {
			if m := isEvent.FindStringSubmatch(c.Text()); m != nil {
				events[filepath.ToSlash(rel)+"."+m[1]] = true
			}
			if m := isQuestion.FindStringSubmatch(c.Text()); m != nil {
				questions[filepath.ToSlash(rel)+"."+m[1]] = true
			}
		}
		return nil
	})
	return events, questions
})

// untouched checks that functions with a hook event as a parameter do not change it, and that functions with a question
// as a parameter do not change its maps and slices. It does not follow values that are passed to other functions, which
// are checked themselves if they receive the event.
func untouched(wrong report, files []file) {
	events, questions := declarations()
	if len(events) < 30 || len(questions) < 20 {
		wrong("domain has only %d hook events and %d questions", len(events), len(questions))
	}
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			var params *ast.FieldList
			var body *ast.BlockStmt
			switch n := n.(type) {
			case *ast.FuncDecl:
				params, body = n.Type.Params, n.Body
			case *ast.FuncLit:
				params, body = n.Type.Params, n.Body
			}
			if params == nil || body == nil {
				return true
			}
			for _, p := range params.List {
				typ, pointer := p.Type, false
				if star, ok := typ.(*ast.StarExpr); ok {
					typ, pointer = star.X, true
				}
				name := f.domainType(typ)
				if pointer && !events[name] || !pointer && !questions[name] {
					continue
				}
				for _, ident := range p.Names {
					(&inspected{f, wrong, name, pointer, map[string]bool{ident.Name: true}}).block(body)
				}
			}
			return true
		})
	}
}

// domainType returns a type of domain in the form of declarations, or "".
func (f file) domainType(t ast.Expr) string {
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	for _, i := range f.ast.Imports {
		p := strings.TrimPrefix(strings.Trim(i.Path.Value, `"`), module)
		if i.Name == nil && path.Base(p) == pkg.Name || i.Name != nil && i.Name.Name == pkg.Name {
			return p + "." + sel.Sel.Name
		}
	}
	return ""
}

// inspected is the parameter of a function whose body is inspected. Variables are known by name, so that one of another
// block with the same name counts as the same variable.
type inspected struct {
	file
	wrong   report
	name    string
	pointer bool            // to the struct; otherwise the function has a copy, which shares its maps and slices
	vars    map[string]bool // true: the parameter; false: a variable that may share its maps and slices
}

// inPlace lists functions that change their first argument.
var inPlace = []string{
	"delete", "clear", "copy", "maps.Copy", "maps.Insert", "maps.DeleteFunc", "slices.Sort", "slices.SortFunc",
	"slices.SortStableFunc", "slices.Reverse",
}

func (p *inspected) block(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				p.changed(left)
				if ident, ok := left.(*ast.Ident); ok && ident.Name != "_" && len(n.Lhs) == len(n.Rhs) {
					if a := p.part(n.Rhs[i]); a.of {
						p.vars[ident.Name] = p.vars[ident.Name] || a.shared && a.depth == 0
					}
				}
			}
		case *ast.IncDecStmt:
			p.changed(n.X)
		case *ast.UnaryExpr:
			if a := p.part(n.X); a.shared && a.depth > 0 && n.Op == token.AND && !a.indexed {
				p.wrong("%s: a pointer to a field of %s lets others fill it in", p.at(n.Pos()), p.name)
			}
		case *ast.CallExpr:
			if len(n.Args) > 0 && slices.Contains(inPlace, callee(n)) && p.part(n.Args[0]).of {
				p.wrong("%s: %s changes a part of %s", p.at(n.Pos()), callee(n), p.name)
			}
		}
		return true
	})
}

// changed reports an assignment to a part of the parameter.
func (p *inspected) changed(left ast.Expr) {
	if a := p.part(left); a.of && (a.indexed || a.shared && a.depth > 0) {
		p.wrong("%s: %s is changed: hooks notify or refuse, and answers change nothing; contribute by answering a query",
			p.at(left.Pos()), p.name)
	}
}

// piece says what an expression has to do with the parameter.
type piece struct {
	of      bool // it is the parameter, a part of it, or a variable that may share a part of it
	shared  bool // it is reached from a parameter that is a pointer
	depth   int  // 0: the parameter or variable itself
	indexed bool // it is an element of a map or slice
}

// part describes an expression.
func (p *inspected) part(e ast.Expr) piece {
	var a piece
	switch e := e.(type) {
	case *ast.Ident:
		parameter, of := p.vars[e.Name]
		return piece{of: of, shared: parameter && p.pointer}
	case *ast.ParenExpr:
		return p.part(e.X)
	case *ast.SelectorExpr:
		a = p.part(e.X)
	case *ast.StarExpr:
		a = p.part(e.X)
	case *ast.IndexExpr:
		a = p.part(e.X)
		a.indexed = true
	case *ast.SliceExpr:
		a = p.part(e.X)
	}
	a.depth++
	return a
}

// callee returns the name of a called function, such as "maps.Copy".
func callee(n *ast.CallExpr) string {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if pkg, ok := f.X.(*ast.Ident); ok {
			return pkg.Name + "." + f.Sel.Name
		}
	}
	return ""
}

// sentHook returns the source of a handler of message.Sent with the given body, for TestRules.
func sentHook(body string) string {
	return `import "github.com/stoachat/stoa/domain/message"
		var _ = kit.On(func(_ context.Context, m *message.Sent) error { ` + body + `; return nil })`
}
