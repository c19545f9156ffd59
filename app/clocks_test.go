package app_test

import (
	"go/ast"
	"slices"
)

// waits are functions whose effect depends on the machine's speed when a test calls them.
var waits = []string{
	"time.Sleep", "time.After", "time.AfterFunc", "time.NewTimer", "time.Tick", "time.Since", "time.Until",
	"context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause",
}

// deadlines are methods of connections.
var deadlines = []string{"SetDeadline", "SetReadDeadline", "SetWriteDeadline"}

// timed lists the test files that may use real time, with the reason why a slow machine does not make them fail.
// Benchmarks always may.
var timed = map[string]string{
	"adapters/blob/s3/stall_test.go":              "transfers are slower than a limit, and pauses far shorter",
	"adapters/fiberhttp/park_test.go":             "only a pause of fasthttp takes longer than the limit each time",
	"adapters/katex/katex_test.go":                "cancels formulas at various moments",
	"adapters/mail/inbound/conns_test.go":         "its connection only records deadlines",
	"adapters/markdown/limit_test.go":             "what is left of a limit is less on a slow machine",
	"app/internal/jobs/backlog_test.go":           "a job must not run early, but may run late",
	"app/internal/kernel/writer_test.go":          "repeats a call whose time is over",
	"app/internal/server/lifecycle_test.go":       "one of a millisecond must not use up a limit of a minute",
	"app/proof/crash/balancer_test.go":            "clients repeat requests while the balancer takes a node for down",
	"app/proof/crash/cluster_connections_test.go": "make cluster measures times on a machine of its own",
	"app/proof/crash/cluster_hung_test.go":        "make cluster measures times on a machine of its own",
	"app/proof/crash/cluster_lost_file_test.go":   "reports a time",
	"app/proof/crash/cluster_test.go":             "people send at intervals, and faults happen while they do",
	"app/proof/crash/cluster_upgrade_test.go":     "reports times",
	"app/proof/crash/import_test.go":              "kills an import at random moments",
	"app/proof/crash/kill_test.go":                "kills a server at some moment while clients send",
	"app/proof/crash/move_test.go":                "kills a server at random moments",
	"app/proof/crash/notified_test.go":            "kills a server at random moments",
	"app/proof/crash/relayed_test.go":             "kills servers at random moments",
	"app/proof/crash/restore_test.go":             "kills a restore at random moments",
	"app/proof/crash/scheduled_test.go":           "kills a server around the time when messages are due",
	"app/proof/crash/upgrade_test.go":             "kills a server at various moments",
	"modules/push/hostile_test.go":                "one limit is 3 seconds and the other a minute",
	"modules/pushrelay/browser_test.go":           "a token expires within a day",
}

// clocks checks that tests do not depend on the machine's speed: they wait with package testrun, for at most its
// Patience, or move a clock. The bubbles of testing/synctest have a clock of their own. Headers of two responses are
// compared without their date.
func clocks(wrong report, files []file) {
	for _, f := range files {
		if !f.test() && !f.in("app/kittest", "app/proof/internal") || f.in("app/kittest/testrun") || f.benchmark() {
			continue
		}
		found := f.realTime()
		_, listed := timed[f.path]
		if listed && len(found) == 0 {
			wrong("%s uses no real time: remove it from the list in app/clocks_test.go", f.path)
		}
		for _, n := range found {
			if !listed {
				wrong("%s: tests do not depend on the machine's speed: use package testrun or move the clock", f.at(n.Pos()))
			}
		}
	}
}

func (f file) realTime() (found []ast.Node) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called, _ := n.Fun.(*ast.SelectorExpr)
			switch {
			case called == nil:
			case selected(called) == "synctest.Test":
				return false
			case slices.Contains(comparisons, selected(called)) && slices.ContainsFunc(n.Args, header),
				(slices.Contains(waits, selected(called)) || slices.Contains(deadlines, called.Sel.Name)) &&
					!slices.ContainsFunc(n.Args, patient):
				found = append(found, n)
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				pair, ok := e.(*ast.KeyValueExpr)
				if ok && selected(n.Type) == "http.Client" && name(pair.Key) == "Timeout" && !patient(pair.Value) {
					found = append(found, pair)
				}
			}
		}
		return true
	})
	return found
}

// comparisons are functions that compare maps.
var comparisons = []string{"maps.Equal", "maps.EqualFunc", "reflect.DeepEqual"}

// header reports whether an expression is a whole header, as in res.Header.
func header(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Header"
}

// patient reports whether an expression contains testrun.Patience.
func patient(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		found = found || ok && selected(x) == "testrun.Patience"
		return !found
	})
	return found
}

// selected returns the package and the name of an expression such as time.Sleep.
func selected(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if pkg, ok := s.X.(*ast.Ident); ok && pkg.Obj == nil { // not a variable
			return pkg.Name + "." + s.Sel.Name
		}
	}
	return ""
}

func name(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
