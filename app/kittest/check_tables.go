package kittest

import (
	"fmt"
	"slices"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
)

// kernelTables lists the tables that do not belong to a module.
var kernelTables = []string{
	"job_leases", "log_consumers", "maintenance", "module_absences", "nodes", "realm_events", "realm_logs",
	"schema_migrations",
}

// Undeclared describes the differences between a schema and the tables that modules declare: each table must be
// declared once, with the same columns and the same primary key.
func Undeclared(schema []bunstore.Column, declared []kit.Table) []string {
	var problems []string
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	actual := map[string][]kit.Column{}
	for _, c := range schema {
		if !slices.Contains(kernelTables, c.Table) {
			actual[c.Table] = append(actual[c.Table], kit.Column{Name: c.Column, Key: c.Key})
		}
	}
	for _, t := range declared {
		columns := actual[t.Name]
		if columns == nil {
			wrong("the table %s does not exist, or is declared twice", t.Name)
			continue
		}
		delete(actual, t.Name)
		for _, c := range t.Columns {
			i := slices.IndexFunc(columns, func(of kit.Column) bool { return of.Name == c.Name })
			switch {
			case i < 0:
				wrong("the column %s.%s is declared, but does not exist", t.Name, c.Name)
				continue
			case columns[i].Key != c.Key:
				wrong("the column %s.%s is in only one of the table's primary key and the declared one", t.Name, c.Name)
			}
			columns = slices.Delete(columns, i, i+1)
		}
		for _, c := range columns {
			wrong("the column %s.%s is not declared", t.Name, c.Name)
		}
	}
	for name := range actual {
		wrong("the table %s is not declared; see Tables in modules/README.md", name)
	}
	slices.Sort(problems)
	return problems
}
