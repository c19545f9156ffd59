package conformance_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/modules/kit"
)

var update = flag.Bool("update", false, "write testdata/realms.txt; new lines in it need a reason")

// sent collects the statements of the servers that start has started in this process.
var sent statements

// start starts a server whose statements TestStatementsNameTheRealm reads.
func start(t *testing.T, o kittest.Options, ms ...kit.Module) *kittest.Server {
	t.Helper()
	if kittest.OnSQLite(t, o) {
		o.Observe = sent.add
	}
	return kittest.StartWith(t, o, ms...)
}

// startAll is start with all modules.
func startAll(t *testing.T) *kittest.Server {
	t.Helper()
	return start(t, harness.AllOptions(""), harness.AllModules()...)
}

// TestStatementsNameTheRealm checks that a table has the realm in its primary key and in all unique indexes, and that
// each statement sent by the tests above finds rows by their realm, so that a realm's rows can be kept apart from those
// of others. testdata/realms.txt lists the exceptions, each below its reason; -update removes those that no test needs
// any more. The test is the last one of the package that starts servers with many modules, since tests run in the order
// of the names of their files.
func TestStatementsNameTheRealm(t *testing.T) {
	if !kittest.OnSQLite(t, kittest.Options{}) {
		t.Skip("on SQLite only: stores send the same statements, and start observes only those")
	}
	c := &counting{}
	s := start(t, kittest.Options{}, append(harness.AllModules(), c.module())...)
	tables := realmColumns(t, c.db)
	found := map[string]string{} // line → an example
	for name, lacks := range tables {
		if lacks != "" {
			found["table "+name+" "+lacks] = ""
		}
	}
	checkDistribution(t, distribution(s.Ports.Collected.Tables(), tables))
	sent.mu.Lock()
	defer sent.mu.Unlock()
	for text := range sent.texts {
		if line := withoutRealm(text, tables); line != "" {
			found[line] = text
		}
	}
	const file = "testdata/realms.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	listed, problems := exceptions(string(text))
	for _, p := range problems {
		t.Errorf("%s: %s", file, p)
	}
	var missing []string
	for _, line := range slices.Sorted(maps.Keys(found)) {
		if !listed[line] {
			missing = append(missing, line)
			t.Errorf("add a condition on the realm, or list this in %s below a reason: %s\n%s", file, line, found[line])
		}
	}
	if *update && flag.Lookup("test.run").Value.String() == "" {
		must(t, os.WriteFile(file, []byte(rewritten(string(text), found, missing)), 0o600))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// statements are different statements, without their values.
type statements struct {
	mu    sync.Mutex
	texts map[string]bool
}

func (s *statements) add(text string) {
	switch word, _, _ := strings.Cut(strings.TrimLeft(text, " ("), " "); word {
	case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE": // migrations begin with a comment
	default:
		return
	}
	text = withoutValues(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[string]bool{}
	}
	s.texts[text] = true
}

// withoutValues replaces the values in a statement, and lists of them. A regular expression would take a second of all
// tests.
func withoutValues(text string) string {
	b := make([]byte, 0, len(text))
	value := func(end int, prefixes string) int {
		if n := len(b) - 1; n > 0 && strings.IndexByte(prefixes, b[n]) >= 0 && !isWord(b[n-1]) {
			b = b[:n] // a sign, or the X of a blob
		}
		b, _ = bytes.CutSuffix(append(b, '?'), []byte(", ?"))
		return end
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'':
			i = value(quoted(text, i), "X")
		case '0' <= c && c <= '9' && (i == 0 || !isWord(text[i-1])):
			end := i
			for end < len(text) && (isWord(text[end]) || text[end] == '.') {
				end++
			}
			i = value(end, "-")
		case c == '\n', c == '\t', c == ' ' && len(b) > 0 && b[len(b)-1] == ' ', c == '"':
			if c != '"' && len(b) > 0 && b[len(b)-1] != ' ' {
				b = append(b, ' ')
			}
			i++
		default:
			b = append(b, c)
			for bytes.HasSuffix(b, []byte("(?), (?)")) {
				b = b[:len(b)-len(", (?)")]
			}
			i++
		}
	}
	return string(b)
}

// quoted returns the end of the string that begins at i.
func quoted(text string, i int) int {
	for i++; i < len(text); i++ {
		if text[i] == '\'' {
			if i++; i == len(text) || text[i] != '\'' {
				return i
			}
		}
	}
	return i
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// realmColumns returns what each table lacks: "" if the realm is in its primary key and all unique indexes.
func realmColumns(t *testing.T, db *bunstore.DB) map[string]string {
	t.Helper()
	schema, err := db.Schema(t.Context())
	must(t, err)
	type table struct{ column, key bool }
	all := map[string]table{}
	for _, c := range schema {
		of := all[c.Table]
		if c.Column == "realm_id" || c.Table == "realms" && c.Column == "id" {
			of = table{true, of.key || c.Key}
		}
		all[c.Table] = of
	}
	var indexes []string // unique ones without the realm
	must(t, db.From(t.Context()).NewRaw(`SELECT DISTINCT m.name FROM sqlite_schema AS m, pragma_index_list(m.name) AS l
		WHERE m.type = 'table' AND l."unique" AND NOT EXISTS (SELECT 1 FROM pragma_index_info(l.name) AS i
		WHERE i.name = 'realm_id')`).Scan(t.Context(), &indexes))
	lacks := map[string]string{}
	for name, of := range all {
		switch {
		case !of.column:
			lacks[name] = "without a column"
		case !of.key:
			lacks[name] = "without the realm in the key"
		case name != "realms" && slices.Contains(indexes, name):
			lacks[name] = "without the realm in a unique index"
		default:
			lacks[name] = ""
		}
	}
	return lacks
}

var (
	named     = regexp.MustCompile(`\b(?:FROM|JOIN|INTO|UPDATE) (\w+)`)
	ofRealm   = regexp.MustCompile(`\brealm_id\)? (?:=|IN) |\brealm_id[\w., ]*\) (?:=|IN) |= (?:\w+\.)?realm_id\b`)
	setRealm  = regexp.MustCompile(`^INSERT INTO (\w+)(?: AS \w+)? \([^)]*\brealm_id\b`)
	compared  = regexp.MustCompile(`(?:\w+\.)?(\w+)\)? (?:=|IN|<|<=|>|>=) \(*(?:VALUES \()?\?`)
	comparedN = regexp.MustCompile(`\(((?:\w+\.)?\w+(?:, (?:\w+\.)?\w+)+)\) IN \(`)
	counted   = regexp.MustCompile(`^SELECT (?:\*|count\(\*\)) FROM \w+(?: WHERE \(\w+ (?:=|IN) \(?\?\)?\))?$`)
)

// withoutRealm returns a line that describes a statement on tables with a column for the realm that does not mention
// it in a condition: its verb, the tables and the columns by which rows are found. For others it returns "".
func withoutRealm(text string, tables map[string]string) string {
	if counted.MatchString(text) { // sent by tests
		return ""
	}
	verb, _, _ := strings.Cut(text, " ")
	var names []string
	with := false
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		if lacks, ok := tables[m[1]]; ok {
			names = append(names, m[1])
			with = with || lacks != "without a column"
		}
	}
	if !with || ofRealm.MatchString(text) || setRealm.MatchString(text) ||
		!slices.ContainsFunc(names, func(n string) bool { return n != "realms" }) {
		return ""
	}
	condition := text
	if verb == "UPDATE" || verb == "INSERT" {
		_, condition, _ = strings.Cut(text, " WHERE ")
	}
	var by []string
	for _, m := range compared.FindAllStringSubmatch(condition, -1) {
		by = append(by, m[1])
	}
	for _, m := range comparedN.FindAllStringSubmatch(condition, -1) {
		for c := range strings.SplitSeq(m[1], ", ") {
			by = append(by, c[strings.Index(c, ".")+1:])
		}
	}
	unique := func(l []string) string { slices.Sort(l); return strings.Join(slices.Compact(l), ", ") }
	return fmt.Sprintf("%s %s by %s", verb, unique(names), cmp.Or(unique(by), "nothing"))
}

// exceptions reads the lines of the list. A reason is a line that begins with a number sign.
func exceptions(text string) (map[string]bool, []string) {
	listed, reason := map[string]bool{}, false
	var problems []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			reason = false
		case strings.HasPrefix(line, "#"):
			reason = true
		case !reason:
			problems = append(problems, "no reason for "+line)
		case listed[line]:
			problems = append(problems, "listed twice: "+line)
		}
		if line != "" && line[0] != '#' {
			listed[line] = true
		}
	}
	return listed, problems
}

// rewritten returns the list without lines that were not found. Missing ones are added without a reason.
func rewritten(text string, found map[string]string, missing []string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, ok := found[strings.TrimSpace(line)]
		if ok || strings.TrimSpace(line) == "" || line[0] == '#' {
			b.WriteString(line)
		}
	}
	if len(missing) > 0 {
		b.WriteString("\n" + strings.Join(missing, "\n") + "\n")
	}
	return b.String()
}
