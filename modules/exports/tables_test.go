package exports_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
	"github.com/stoachat/stoa/ports"
)

var update = flag.Bool("update", false, "write the list of tables in README.md")

// inspector is a module that gives a test access to the declarations of modules and to the database.
type inspector struct {
	DB        *bunstore.DB
	Collected *kit.Collected
	Settings  ports.RealmSettings
}

func (l *inspector) module() kit.Module {
	type needs struct {
		fx.In
		DB        *bunstore.DB
		Collected *kit.Collected
		Settings  ports.RealmSettings
	}
	return kit.Define("looking", "Lets a test look.", kit.None{}, func(_ kit.None, n needs) (kit.Parts, error) {
		l.DB, l.Collected, l.Settings = n.DB, n.Collected, n.Settings
		return kit.Parts{}, nil
	})
}

// startAll starts a server with all standard modules.
func startAll(t *testing.T, config string) (*kittest.Server, *inspector) {
	t.Helper()
	l := &inspector{}
	return kittest.StartWith(t, kittest.Options{Config: config}, append(standard.Modules(), l.module())...), l
}

// kernelTables lists the tables that do not belong to a module.
var kernelTables = []string{"job_leases", "nodes", "schema_migrations", "realm_events", "realm_logs", "log_consumers"}

// Every table is declared by a module. kittest.Check checks the columns.
func TestEveryTable(t *testing.T) {
	_, l := startAll(t, "")
	schema, err := l.DB.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]bool{}
	for _, c := range schema {
		tables[c.Table] = true
	}
	declared := map[string]bool{}
	for _, m := range l.Collected.Modules {
		for i := range m.Parts.Exports {
			e := &m.Parts.Exports[i]
			declared[e.Table] = true
			for _, with := range e.With {
				declared[with] = true
			}
			if !tables[e.Table] {
				t.Errorf("there is no table %s", e.Table)
			}
		}
	}
	for name := range tables {
		if !declared[name] && !slices.Contains(kernelTables, name) && !strings.HasPrefix(name, "message_search_") {
			t.Errorf("no module declares what is exported of %s; see Exports in modules/README.md", name)
		}
	}
}

// README.md lists the contents of an archive.
func TestReadme(t *testing.T) {
	_, l := startAll(t, "")
	var all []kit.Export
	for _, m := range l.Collected.Modules {
		all = append(all, m.Parts.Exports...)
	}
	slices.SortFunc(all, func(a, b kit.Export) int { return strings.Compare(a.Table, b.Table) })
	var kept, left strings.Builder
	for _, e := range all {
		if e.Exported() {
			fmt.Fprintf(&kept, "| `%s` | %s%s | `%s` |\n", e.Table, e.Doc, consentNote(&e), strings.Join(e.LineKeys(), "` `"))
		} else {
			fmt.Fprintf(&left, "| `%s` | %s |\n", e.Table, e.Doc)
		}
	}
	const file, begin, end = "README.md", "<!-- tables -->\n", "<!-- end -->\n"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(old), begin)
	_, after, _ := strings.Cut(string(old), end)
	text := before + begin + "| table | description of a line | keys |\n|---|---|---|\n" + kept.String() +
		"\n## What is not in an archive\n\n| table | why |\n|---|---|\n" + left.String() + end + after
	if *update {
		err = os.WriteFile(file, []byte(text), 0o600)
	} else if text != string(old) {
		t.Error("the list of tables is outdated: go test ./modules/exports -run Readme -update")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func consentNote(e *kit.Export) string {
	switch {
	case e.Page != nil:
		return ""
	case e.Private != nil:
		return " Without the user's consent, these keys are omitted: `" + strings.Join(e.Private, "`, `") + "`."
	case e.Person != "":
		return " Only with the user's consent."
	}
	return ""
}
