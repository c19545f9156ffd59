package app_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
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
	text string
	ast  *ast.File
	fset *token.FileSet
}

func (f file) dir() string  { return filepath.ToSlash(filepath.Dir(f.path)) }
func (f file) test() bool   { return strings.HasSuffix(f.path, "_test.go") }
func (f file) base() string { return filepath.Base(f.path) }

func (f file) benchmark() bool {
	named := strings.HasPrefix(f.base(), "bench_") || strings.HasSuffix(f.base(), "bench_test.go")
	return f.test() && (named || f.in("app/proof/bench"))
}

func (f file) in(dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return f.dir() == d || strings.HasPrefix(f.dir(), d+"/") })
}

func (f file) at(p token.Pos) string {
	return fmt.Sprintf("%s:%d", f.path, f.line(p))
}

func (f file) line(p token.Pos) int { return f.fset.Position(p).Line }

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
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, file{rel, string(text), f, fset})
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

// nested lists the folders of other Go modules.
var nested = []string{"app/example", "app/interop/senders", "app/interop/validator", "app/release"}

// skipped reports whether a folder contains no source of this module.
func skipped(path, name string) bool {
	return slices.Contains(nested, path) || name == "node_modules" || name == "testdata" ||
		strings.HasPrefix(name, ".") && path != "."
}

// report records a violation of a rule.
type report func(format string, args ...any)

// rules are checked on all files of the repository. TestRules has a case for each in which it fails.
var rules = map[string]func(report, []file){
	"imports": imports, "bun only in stores": bunOnlyInStores, "exports": exports, "habits": habits, "size": size,
	"columns": columns, "citations": citations, "documented": documented, "raced": raced, "clocks": clocks,
	"port reasons": portReasons, "untouched": untouched,
}

// TestArchitecture checks all rules.
func TestArchitecture(t *testing.T) {
	files := source(t)
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) { rule(t.Errorf, files) })
	}
}

// TestRules checks that each rule fails if it is violated.
func TestRules(t *testing.T) {
	long := "package x\n" + strings.Repeat("\n", 400)
	wide := strings.Repeat("x", 110)
	violated := map[string]bool{}
	for _, c := range []struct{ rule, path, text, want string }{
		{"imports", "domain/x/x.go", `import "github.com/stoachat/stoa/ports"`, "see the table of layers"},
		{"imports", "domain/x/x.go", `import "go.uber.org/fx"`, "not one of the libraries"},
		{"imports", "domain/x/x.go", `import "context"`, ""},
		{"imports", "modules/x/x.go", `import "github.com/stoachat/stoa/modules/y"`, "see the table of layers"},
		{"imports", "modules/x/x.go", `import "github.com/stoachat/stoa/modules/y/internal/z"`, "see the table of layers"},
		{"imports", "modules/x/x.go", `import "github.com/stoachat/stoa/modules/x/internal/z"`, ""},
		{"imports", "modules/x/x.go", `import "github.com/uptrace/bun"`, "not one of the libraries"},
		{"imports", "modules/x/store.go", `import "github.com/uptrace/bun"`, ""},
		{"imports", "adapters/blob/s3/x.go", `import "github.com/stoachat/stoa/adapters/mail/smtp"`, "of its own folder"},
		{"imports", "adapters/blob/s3/x.go", `import "github.com/stoachat/stoa/adapters/blob/disk"`, ""},
		{"imports", "adapters/push/webpush/x.go", `import "github.com/stoachat/stoa/adapters/outbound/guard"`, ""},
		{"imports", "adapters/blob/s3/x.go", `import "github.com/stoachat/stoa/modules/uploads"`, "see the table of layers"},
		{"imports", "elsewhere/x.go", ``, "in no layer"},
		{"bun only in stores", "adapters/x/x.go", `import "github.com/uptrace/bun"`, "in files store*.go"},
		{"exports", "modules/x/x.go", `func Helper() {}`, "exports only Module and Config"},
		{"exports", "modules/x/x.go", `var Module = 1`, ""},
		{"habits", "modules/x/x.go", `func init() {}`, "no init functions"},
		{"habits", "modules/x/x.go", `func f() { go f() }`, "modules start no goroutines"},
		{"habits", "modules/x/x.go", `import "time"; var f = time.Now`, "time comes from ports.Clock"},
		{"size", "domain/x/x.go", long, "has 401 lines"},
		{"columns", "domain/x/x.go", "// A comment " + wide, "x.go:3 has 123 columns"},
		{"columns", "domain/x/x.go", "// " + strings.Repeat("→", 117), ""},
		{"columns", "domain/x/x.go", "type x struct {\n\tField int `yaml:\"" + wide + "\"`\n}", ""},
		{"columns", "domain/x/x_test.go", "var x = map[string]string{\n\t\"a key\": \"" + wide + "\",\n}", ""},
		{"columns", "domain/x/x.go", "var x = map[string]string{\n\t\"a key\": \"" + wide + "\",\n}", "has 123 columns"},
		{"citations", "domain/x/x.go", "// See lost.md.", "lost.md is not in the repository"},
		{"citations", "domain/x/x.go", "// See README.md.", ""},
		{"documented", "modules/x/x.go", ``, "has no doc.go"},
		{"documented", "modules/x/doc.go", "", "has no section on modules.x"},
		{"documented", "modules/x/x.go", `var p = kit.Parts{Endpoints: nil}`, "there is no app/proof/access/testdata/x.md"},
		{"clocks", "modules/x/x_test.go", `import "time"; func f() { time.Sleep(1) }`, "machine's speed"},
		{"clocks", "modules/x/x_test.go", `var c = http.Client{Timeout: 1}`, "machine's speed"},
		{"clocks", "modules/x/x_test.go", `var c = http.Client{Timeout: testrun.Patience}`, ""},
		{"clocks", "modules/x/x_test.go", `var same = maps.EqualFunc(a.Header, b.Header, f)`, "machine's speed"},
		{"clocks", "modules/push/hostile_test.go", `var x = 1`, "remove it from the list"},
		{"clocks", "modules/x/x_test.go", `func f(c net.Conn) { c.SetReadDeadline(soon) }`, "machine's speed"},
		{"clocks", "modules/x/x_test.go", `func f() { synctest.Test(t, func() { time.Sleep(1) }) }`, ""},
		{"clocks", "modules/x/bench_test.go", `import "time"; func f() { time.Sleep(1) }`, ""},
		{"clocks", "app/proof/bench/x_test.go", `import "time"; func f() { time.Sleep(1) }`, ""},
		{"clocks", "app/proof/internal/harness/x.go", `import "time"; func f() { time.Sleep(1) }`, "machine's speed"},
		{"port reasons", "ports/x.go", "// Xs stores xs.\ntype Xs interface{ Store() }", "does not say why it is a port"},
		{"port reasons", "ports/x.go", "// Xs stores xs. It isolates disks.\ntype Xs interface{ Store() }", ""},
		{"untouched", "modules/x/x.go", sentHook(`m.Pages = nil`), "message.Sent is changed"},
		{"untouched", "modules/x/x.go", sentHook(`m.Pages[1] = nil`), "message.Sent is changed"},
		{"untouched", "modules/x/x.go", sentHook(`m.Messages[0].Content += "x"`), "message.Sent is changed"},
		{"untouched", "modules/x/x.go", sentHook(`e := m; e.Realm++`), "message.Sent is changed"},
		{"untouched", "modules/x/x.go", sentHook(`all := m.Pages; all[1] = nil`), "message.Sent is changed"},
		{"untouched", "modules/x/x.go", sentHook(`fill(&m.Pages)`), "a pointer to a field of domain/message.Sent"},
		{"untouched", "modules/x/x.go", sentHook(`delete(m.Pages, 1)`), "delete changes a part of domain/message.Sent"},
		{"untouched", "modules/x/x.go", sentHook(`e := *m; e.Realm = 1; one := &m.Messages[0]; read(one, m)`), ""},
		{"untouched", "modules/x/x.go", `import "github.com/stoachat/stoa/domain/realm"
			func f(q realm.Description) { q.Keys["x"] = 1 }`, "realm.Description is changed"},
		{"untouched", "modules/x/x.go", `import "github.com/stoachat/stoa/domain/realm"
			func f(q realm.Description) { q.Realm = 1; q.Keys = nil }`, ""},
		{"raced", "modules/x/x_test.go", `func f() { go f() }`, "./modules/x starts goroutines and is not in .ci/raced"},
		{"raced", "modules/x/x_test.go", `func f() { all.Go(f) }`, "./modules/x starts goroutines and is not in .ci/raced"},
		{"raced", "modules/events/x_test.go", `func f() { go f(); testrun.Unraced(t, "") }`, "./modules/events with a plus"},
		{"raced", "modules/realm/x.go", `var s = strings.Repeat("x", 2)`,
			"lists ./modules/realm, which starts no goroutines"},
	} {
		text := c.text
		if !strings.HasPrefix(text, "package") {
			text = "// Package x is for this test.\npackage x\n" + text + "\n"
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, c.path, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		rules[c.rule](func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) },
			[]file{{c.path, text, parsed, fset}})
		all := strings.Join(got, "\n")
		violated[c.rule] = violated[c.rule] || all != ""
		if (c.want == "") != (all == "") || !strings.Contains(all, c.want) {
			t.Errorf("%s, %s with %q: got %q, want %q", c.rule, c.path, c.text, all, c.want)
		}
	}
	for name := range rules {
		if !violated[name] {
			t.Errorf("no case violates the rule %q", name)
		}
	}
}

func bunOnlyInStores(wrong report, files []file) {
	for _, f := range files {
		if f.in("adapters/bunstore") || store(f) || f.test() && f.in("adapters", "app") {
			continue
		}
		for path, pos := range f.imports() {
			if bun(path) {
				wrong("%s: Bun is used in files store*.go and packages internal/store only", f.at(pos))
			}
		}
	}
}

func exports(wrong report, files []file) {
	for _, f := range files {
		parts := strings.Split(f.dir(), "/")
		if len(parts) != 2 || parts[0] != "modules" || parts[1] == "kit" || parts[1] == "standard" || f.test() {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, name := range declared(d) {
				if name.IsExported() && name.Name != "Module" && name.Name != "Config" {
					wrong("%s: a module exports only Module and Config, not %s", f.at(name.Pos()), name.Name)
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

func habits(wrong report, files []file) {
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					wrong("%s: no init functions: wire explicitly", f.at(n.Pos()))
				}
			case *ast.GoStmt:
				if f.in("modules") && !f.in("modules/kit") && !f.test() {
					wrong("%s: modules start no goroutines; use a kit.Job, a hook or kit.EncodeAhead", f.at(n.Pos()))
				}
			case *ast.SelectorExpr:
				f.selected(wrong, n)
			}
			return true
		})
	}
}

func (f file) selected(wrong report, n *ast.SelectorExpr) {
	pkg, ok := n.X.(*ast.Ident)
	if !ok || pkg.Obj != nil { // a variable, not a package
		return
	}
	switch pkg.Name + "." + n.Sel.Name {
	case "time.Now", "time.Since", "time.Until":
		// The limits of highlighting are for the work of this machine, which a clock that tests stop cannot measure.
		if !f.test() && !f.in("app/internal/clock", "app/kittest", "app/proof", "adapters/markdown/highlight") {
			wrong("%s: time comes from ports.Clock", f.at(n.Pos()))
		}
	}
}

func size(wrong report, files []file) {
	for _, f := range files {
		if lines := f.fset.File(f.ast.FileStart).LineCount(); lines > 400 {
			wrong("%s has %d lines; a file has one subject and at most 400", f.path, lines)
		}
	}
}
