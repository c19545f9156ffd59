package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/stoachat/stoa/app/internal/server"
)

type routes struct{}

// Run lists the routes, sorted by path.
func (routes) Run(e *env) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	type row struct{ method, path, who, module, doc string }
	var rows []row
	for _, c := range s.Modules().Modules {
		for _, p := range c.Parts.Endpoints {
			r := row{p.Method, "/api/v1" + p.Path, p.Access.Name(), c.Module, p.Doc}
			if p.Handler != nil {
				r.method, r.path = "*", p.Path
			}
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return strings.Compare(a.path+" "+a.method, b.path+" "+b.method)
	})
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "METHOD\tPATH\tWHO\tMODULE\tWHAT") // Flush returns the error
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.method, r.path, r.who, r.module, r.doc)
	}
	return w.Flush()
}
