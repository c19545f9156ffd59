package access_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

var update = flag.Bool("update", false, "write what came out to testdata")

// table describes the routes of one module.
type table struct {
	module string
	about  string
	rows   []*row
}

// tables returns the tables of all shipped modules. A table may have rows for modules that are not shipped yet. Each
// module has its own file.
func tables() []table {
	shipped := map[string]bool{"server": true}
	for _, m := range standard.Modules() {
		shipped[m.Name] = true
	}
	return slices.DeleteFunc([]table{
		serverTable(), accountsTable(), alertwordsTable(), auditTable(), avatarsTable(), botsTable(),
		callsTable(), channelsTable(),
		confirmationsTable(), demoTable(), draftsTable(), emojiTable(),
		eventsTable(), exportsTable(), groupsTable(), headerloginTable(), homepageTable(), identitiesTable(), importsTable(),
		invitesTable(), jwtloginTable(), linkifiersTable(), logosTable(),
		mailnotifyTable(), messagesTable(), mutesTable(), navigationTable(), notificationsTable(), oidcTable(),
		onboardingTable(),
		imagesTable(),
		playgroundsTable(),
		apidocsTable(),
		presenceTable(), profilefieldsTable(), pushTable(), pushrelayTable(), realmTable(), reportsTable(), samlTable(),
		scheduledTable(), scimTable(),
		sessionsTable(), snippetsTable(), statusTable(), topicsTable(), twofactorTable(), typingTable(),
		uploadsTable(), wasmTable(), webTable(), webhooksTable(), widgetsTable(),
	}, func(t table) bool { return !shipped[t.module] })
}

// sampled reports whether to test only every third variant of a row. Complete tables take a minute; make
// test-long tests them, on SQLite.
func sampled(r *row) bool {
	return (onPostgres() || !testrun.Long()) && r.on != nil && len(r.on.variants) > 9 && !*update
}

func onPostgres() bool { return os.Getenv("STOA_TEST_DATABASE") == "postgres" }

// TestAccess checks that only callers with permission succeed, and that no refusal reveals whether an object exists.
func TestAccess(t *testing.T) {
	for _, tab := range tables() {
		if !testrun.Long() && onPostgres() && tab.module != "messages" {
			continue // the other modules' rules do not depend on SQL
		}
		t.Run(tab.module, func(t *testing.T) {
			t.Parallel()
			got, audited := outcomes{}, map[string]bool{}
			var w *fixture
			for part := range slices.Chunk(tab.rows, 8) { // creating more objects at once would make lists long
				w = newFixture(t, nil)
				w.mails(tab.module == "invites")
				w.eachState(func(who []*caller) {
					for _, r := range part {
						w.try(r, who, got)
					}
				})
				w.auditedRoutes(audited)
			}
			w.checkAudited(tab, audited)
			if !t.Failed() {
				compare(t, tab, got)
			}
		})
	}
}

// TestEveryRouteHasARow checks that the tables cover every route.
func TestEveryRouteHasARow(t *testing.T) {
	w := newFixture(t, nil)
	rows := map[string]bool{}
	for _, tab := range tables() {
		for _, r := range tab.rows {
			rows[r.route] = true
		}
	}
	routes := map[string]bool{}
	for _, m := range w.s.Ports.Collected.Modules {
		for _, e := range m.Parts.Endpoints {
			name := routeOf(e)
			routes[name] = true
			if !rows[name] {
				t.Errorf("%s has no row: add {route: %q, rule: ..., who: ...} to the table of the module %s "+
					"in app/proof/access (see the package's doc)", name, name, m.Module)
			}
		}
	}
	for name := range rows {
		if !routes[name] {
			t.Errorf("there is no route %s: remove its rows", name)
		}
	}
}

func routeOf(e kit.Endpoint) string {
	if e.Handler != nil {
		return "GET mount " + e.Path
	}
	return e.Method + " " + e.Path
}

// TestForeignKeysAreRefused checks that no route accepts API keys of another realm's users, or unknown keys.
func TestForeignKeysAreRefused(t *testing.T) {
	w := newFixture(t, nil)
	stranger := *w.called("other realm")
	stranger.host = ""
	nobody := caller{mail: w.olga.mail, at: w.s.WithKey(w.olga.mail, strings.Repeat("x", 32))}
	done := map[string]bool{}
	w.s.Skip()
	for _, tab := range tables() {
		for _, r := range tab.rows {
			if r.who(&caller{}) != "401 UNAUTHORIZED" || done[r.route] {
				continue
			}
			done[r.route] = true
			for _, c := range []*caller{&stranger, &nobody} {
				x := cell{w: w, c: c}
				if r.on != nil {
					x.o = object{r.on.missing}
				}
				call := r.route
				if strings.Contains(r.call, " mount ") { // it has a different prefix
					call = r.call
				}
				if got := outcome(w.ask(c, x.path(call))); got != "401 UNAUTHORIZED" {
					t.Errorf("%s: %s", r.route, got)
				}
			}
		}
	}
	w.s.NoEvents()
}

// compare compares the outcomes with the module's page in testdata.
func compare(t *testing.T, tab table, got outcomes) {
	t.Helper()
	path, text := filepath.Join("testdata", tab.module+".md"), page(tab, got)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v; create it with -update, and review it", err)
		return
	}
	if string(b) == text {
		return
	}
	if slices.ContainsFunc(tab.rows, sampled) {
		compareSampled(t, string(b), tab, got)
		return
	}
	was, is := strings.Split(string(b), "\n"), strings.Split(text, "\n")
	var diff strings.Builder
	heading := ""
	for _, line := range was {
		if strings.HasPrefix(line, "## ") {
			heading = line
		}
		if !slices.Contains(is, line) {
			diff.WriteString("\n" + heading + "\n- " + line)
		}
	}
	for _, line := range is {
		if strings.HasPrefix(line, "## ") {
			heading = line
		}
		if !slices.Contains(was, line) {
			diff.WriteString("\n" + heading + "\n+ " + line)
		}
	}
	t.Errorf("%s differs from the outcomes; if they are right, update it with -update, and review it:%s", path,
		diff.String())
}
