package kittest

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
)

// checkExports checks that each module declares what an export contains of its tables whose rows belong to realms.
func checkExports(t *testing.T, schema []bunstore.Column, all []kit.Contribution) {
	t.Helper()
	columns := map[string][]string{}
	for _, c := range schema {
		columns[c.Table] = append(columns[c.Table], c.Column)
	}
	for _, m := range all {
		declared := map[string]bool{}
		for i := range m.Parts.Exports {
			e := &m.Parts.Exports[i]
			declared[e.Table] = true
			for _, with := range e.With {
				declared[with] = true
			}
			if columns[e.Table] == nil {
				t.Errorf("Exports names the table %s, which does not exist", e.Table)
			} else if e.Exported() {
				checkColumns(t, e, columns[e.Table])
			}
		}
		for _, r := range m.Parts.Rows {
			if !declared[r.Table] {
				t.Errorf("the table %s is not in Exports: declare it with kit.Export or kit.NotExported", r.Table)
			}
		}
	}
}

func checkColumns(t *testing.T, e *kit.Export, columns []string) {
	t.Helper()
	named := append([]string{e.RealmColumn()}, e.Without...)
	for _, c := range e.Columns {
		name, _ := kit.Kind(c)
		named = append(named, name)
		if slices.Contains(e.Without, name) {
			t.Errorf("%s.%s is both in Columns and in Without", e.Table, name)
		}
	}
	for _, c := range columns {
		if !slices.Contains(named, c) {
			t.Errorf("%s.%s is neither in Columns nor in Without of its Export", e.Table, c)
		}
	}
	if e.Page != nil {
		return
	}
	for _, c := range slices.Concat(named[1:], e.Key, e.Private, []string{e.Person, e.Public, e.Channel}) {
		if c != "" && !slices.Contains(columns, c) {
			t.Errorf("the Export of %s names the column %s, which does not exist", e.Table, c)
		}
	}
}
