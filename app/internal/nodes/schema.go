package nodes

import (
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// schemaOf lists the migrations that break programs which do not know them, of those that a program knows.
func schemaOf(all []bunstore.Migrations) string {
	steps, _, err := bunstore.Compare(all, nil)
	if err != nil {
		return "" // starting the database reports it
	}
	var names []string
	for _, s := range steps {
		if s.Header.Kind == bunstore.Contract {
			names = append(names, s.String())
		}
	}
	for _, m := range all {
		if m.Former != "" {
			names = append(names, bunstore.RenameOf(m))
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// knows reports whether a node knows a migration.
func (r row) knows(step string) bool { return slices.Contains(strings.Fields(r.Schema), step) }
