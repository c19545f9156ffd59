package app_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Architecture rules, checked against the source of all packages.

const module = "github.com/stoachat/stoa/"

type file struct {
	path string // relative to the root of the repository, with slashes
	ast  *ast.File
	fset *token.FileSet
}

func (f file) dir() string  { return filepath.ToSlash(filepath.Dir(f.path)) }
func (f file) test() bool   { return strings.HasSuffix(f.path, "_test.go") }
func (f file) base() string { return filepath.Base(f.path) }

func (f file) in(dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return f.dir() == d || strings.HasPrefix(f.dir(), d+"/") })
}

func (f file) at(p token.Pos) string {
	return fmt.Sprintf("%s:%d", f.path, f.fset.Position(p).Line)
}

func (f file) imports() map[string]token.Pos {
	out := map[string]token.Pos{}
	for _, i := range f.ast.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		out[path] = i.Pos()
	}
	return out
}

// source parses all Go files of the repository, except those of nested modules.
func source(t *testing.T) []file {
	t.Helper()
	var all []file
	root := ".."
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && skipped(rel, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, file{rel, f, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d files found; is this the repository?", len(all))
	}
	return all
}

// skipped reports whether a folder contains no source of this module.
func skipped(path, name string) bool {
	return path == "app/example" || path == "app/interop/senders" || name == "node_modules" || name == "testdata" ||
		strings.HasPrefix(name, ".") && path != "."
}

// layers lists the packages of the repository and the other libraries that each layer may import.
var layers = []struct {
	of        string
	may       []string // packages of the repository, including their subpackages
	libraries []string // nil: only the standard library
	any       bool     // any library
}{
	{of: "domain", may: []string{"domain"}},
	{of: "ports", may: []string{"domain", "ports"}},
	{of: "modules/kit", may: []string{"domain", "ports", "modules/kit"}, libraries: []string{"go.uber.org/fx"}},
	{of: "adapters", may: []string{"domain", "ports", "modules/kit", "adapters"}, any: true},
	{of: "modules/standard", may: []string{"modules", "adapters/webcall", "adapters/webpage", "adapters/webpush",
		"adapters/logmail", "adapters/smtpmail", "adapters/smtpin", "adapters/pushdelivery", "adapters/pushrelay",
		"adapters/diskblob", "adapters/s3blob", "adapters/movingblob", "adapters/images", "adapters/katex"}},
	{of: "modules", may: []string{"domain", "ports", "modules/kit"}, libraries: []string{
		"go.uber.org/fx", "golang.org/x/crypto", "golang.org/x/text", "golang.org/x/sync", "github.com/RoaringBitmap/roaring",
		"github.com/google/uuid",
		"github.com/golang-jwt/jwt",                    // login by token
		"github.com/blevesearch/snowballstem",          // stemming of words in a search
		"github.com/sergi/go-diff",                     // differences between versions of a message
		"go.yaml.in/yaml",                              // files of services that send webhooks
		"golang.org/x/net/html",                        // texts in HTML that these services send
		"github.com/tus/tusd", "golang.org/x/exp/slog", // resumable uploads; the logger of tusd
	}},
	{of: "app/cmd", may: []string{"app", "modules/standard"}},
	{of: "app/proof", may: []string{"domain", "ports", "modules", "adapters", "app", "configs"}, any: true},
	{of: "app", may: []string{
		"domain", "ports", "modules/kit", "adapters/bunstore", "adapters/fiberhttp", "adapters/markdown", "adapters/emoji",
		"app", "configs",
	}, any: true},
	{of: "configs", may: nil},
}

// TestArchitecture checks all rules.
func TestArchitecture(t *testing.T) {
	files := source(t)
	for name, rule := range map[string]func(*testing.T, []file){
		"imports": imports, "bun only in stores": bunOnlyInStores, "exports": exports, "habits": habits, "size": size,
		"citations": citations, "documented": documented,
	} {
		t.Run(name, func(t *testing.T) { rule(t, files) })
	}
}

func imports(t *testing.T, files []file) {
	t.Helper()
	for _, f := range files {
		i := slices.IndexFunc(layers, func(l struct {
			of        string
			may       []string
			libraries []string
			any       bool
		}) bool {
			return f.in(l.of)
		})
		if i < 0 {
			if !f.in("interop") {
				t.Errorf("%s: the package is in no layer; layers are listed in app/arch_test.go", f.path)
			}
			continue
		}
		l := layers[i]
		for path, pos := range f.imports() {
			if why := forbidden(f, l.may, l.libraries, l.any, path); why != "" {
				t.Errorf("%s: %s may not import %s: %s", f.at(pos), f.dir(), path, why)
			}
		}
	}
}

func forbidden(f file, may, libraries []string, any bool, path string) string {
	under := func(dirs []string, p string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return p == d || strings.HasPrefix(p, d+"/") })
	}
	ours, isOurs := strings.CutPrefix(path, module)
	switch {
	case isOurs && f.test() && under([]string{"app/kittest", "modules", "domain", "ports", "adapters"}, ours),
		isOurs && f.test() && f.in("configs") && under([]string{"app", "configs"}, ours):
		return "" // tests may use the test kit and other modules
	case isOurs && under(may, ours), isOurs && f.in("modules") && own(f, ours):
		return ""
	case isOurs && ours == "adapters/bunstore" && f.in("modules"):
		return "" // for the field DB of needs
	case isOurs && f.in("adapters") && ours != f.dir() && under([]string{"adapters"}, ours):
		return "an adapter stands for itself"
	case isOurs:
		return "see the table of layers in app/arch_test.go"
	case !strings.Contains(strings.SplitN(path, "/", 2)[0], "."), any, f.test(), under(libraries, path):
		return ""
	case bun(path) && store(f):
		return ""
	}
	return "not one of the libraries of this layer"
}

// own reports whether a package belongs to the same module as the file.
func own(f file, ours string) bool {
	name := strings.Split(f.dir(), "/")[1]
	return strings.HasPrefix(ours, "modules/"+name+"/internal/")
}

func bun(path string) bool { return strings.HasPrefix(path, "github.com/uptrace/bun") }

// store reports whether Bun may be used in a file.
func store(f file) bool {
	return strings.HasPrefix(f.base(), "store") || strings.HasSuffix(f.dir(), "/internal/store")
}

func bunOnlyInStores(t *testing.T, files []file) {
	t.Helper()
	for _, f := range files {
		if f.in("adapters/bunstore") || store(f) || f.test() && f.in("adapters", "app") {
			continue
		}
		for path, pos := range f.imports() {
			if bun(path) {
				t.Errorf("%s: Bun is used in files store*.go and packages internal/store only", f.at(pos))
			}
		}
	}
}

func exports(t *testing.T, files []file) {
	t.Helper()
	for _, f := range files {
		parts := strings.Split(f.dir(), "/")
		if len(parts) != 2 || parts[0] != "modules" || parts[1] == "kit" || parts[1] == "standard" || f.test() {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, name := range declared(d) {
				if name.IsExported() && name.Name != "Module" && name.Name != "Config" {
					t.Errorf("%s: a module exports only Module and Config, not %s", f.at(name.Pos()), name.Name)
				}
			}
		}
	}
}

// declared returns the package-level names of a declaration, without methods.
func declared(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var out []*ast.Ident
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				out = append(out, s.Name)
			case *ast.ValueSpec:
				out = append(out, s.Names...)
			}
		}
		return out
	}
	return nil
}

func habits(t *testing.T, files []file) {
	t.Helper()
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: no init functions: wire explicitly", f.at(n.Pos()))
				}
			case *ast.GoStmt:
				if f.in("modules") && !f.in("modules/kit") && !f.test() {
					t.Errorf("%s: modules start no goroutines; use a kit.Job, a hook or kit.EncodeAhead", f.at(n.Pos()))
				}
			case *ast.SelectorExpr:
				f.selected(t, n)
			}
			return true
		})
	}
}

func (f file) selected(t *testing.T, n *ast.SelectorExpr) {
	t.Helper()
	pkg, ok := n.X.(*ast.Ident)
	if !ok || pkg.Obj != nil { // a variable, not a package
		return
	}
	switch pkg.Name + "." + n.Sel.Name {
	case "time.Now", "time.Since", "time.Until":
		// The limits of highlighting are for the work of this machine, which a clock that tests stop cannot measure.
		if !f.test() && !f.in("app/internal/clock", "app/kittest", "app/proof", "interop", "adapters/markdown/highlight") {
			t.Errorf("%s: time comes from ports.Clock", f.at(n.Pos()))
		}
	case "time.Sleep":
		if (f.test() || f.in("app/kittest")) && !f.in("app/proof") && !strings.HasSuffix(f.base(), "bench_test.go") {
			// app/proof waits for processes, and benchmarks wait for many clients
			t.Errorf("%s: tests do not sleep; use kittest.Await or move the clock", f.at(n.Pos()))
		}
	}
}

func size(t *testing.T, files []file) {
	t.Helper()
	for _, f := range files {
		if lines := f.fset.File(f.ast.FileStart).LineCount(); lines > 400 {
			t.Errorf("%s has %d lines; a file has one subject and at most 400", f.path, lines)
		}
	}
}
