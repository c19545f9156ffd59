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

// README.md lists the contents of an archive.
func TestReadme(t *testing.T) {
	_, l := startAll(t, "")
	all := l.Collected.Tables()
	slices.SortFunc(all, func(a, b kit.Table) int { return strings.Compare(a.Name, b.Name) })
	var kept, left strings.Builder
	for _, t := range all {
		if t.Exported {
			fmt.Fprintf(&kept, "| `%s` | %s%s | `%s` |\n", t.Name, t.Doc, consentNote(t), strings.Join(t.LineKeys(), "` `"))
		} else if t.Within == "" {
			fmt.Fprintf(&left, "| `%s` | %s |\n", t.Name, t.Doc)
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
		t.Error("the list of tables is outdated: run make generate")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func consentNote(t kit.Table) string {
	switch {
	case t.Page != nil:
		return ""
	case t.PrivateKeys() != nil:
		return " Without the user's consent, these keys are omitted: `" + strings.Join(t.PrivateKeys(), "`, `") + "`."
	case t.Consent != "":
		return " Only with the user's consent."
	}
	return ""
}
