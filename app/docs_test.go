package app_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var document = regexp.MustCompile(`[\w./-]*\w\.md\b`)

// citations checks that comments cite only documents in the repository, by a path relative to its root or to the file's
// folder.
func citations(wrong report, files []file) {
	for _, f := range files {
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				for _, name := range document.FindAllString(c.Text, -1) {
					if !there(name) && !there(path.Join(f.dir(), name)) {
						wrong("%s: %s is not in the repository", f.at(c.Pos()), name)
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

// documented checks that each module has a doc.go with its purpose, tables, events and ports, a section in the
// configuration reference and, if it has routes, an access table.
func documented(wrong report, files []file) {
	doc, routes := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		parts := strings.Split(f.dir(), "/")
		if len(parts) < 2 || parts[0] != "modules" || parts[1] == "kit" || parts[1] == "standard" || f.test() {
			continue
		}
		name := parts[1]
		doc[name] = doc[name] || len(parts) == 2 && f.base() == "doc.go" && f.ast.Doc != nil
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if field, ok := n.(*ast.KeyValueExpr); ok {
				key, _ := field.Key.(*ast.Ident)
				routes[name] = routes[name] || key != nil && key.Name == "Endpoints"
			}
			return true
		})
	}
	reference, err := os.ReadFile(filepath.Join("..", "configs", "README.md"))
	if err != nil {
		wrong("%v", err)
	}
	for name, ok := range doc {
		if !ok {
			wrong("modules/%s has no doc.go with a package comment", name)
		}
		if !strings.Contains(string(reference), "\n## modules."+name+"\n") {
			wrong("configs/README.md has no section on modules.%s: run make generate", name)
		}
		if table := "app/proof/access/testdata/" + name + ".md"; routes[name] && !there(table) {
			wrong("modules/%s has routes, but there is no %s", name, table)
		}
	}
}
