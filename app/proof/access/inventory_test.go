package access_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// operation is a row of testdata/inventory.tsv.
type operation struct {
	number, method, path string
	section              string // prefix of the headings of its sections in the tables
	outcome              string // the error if the operation always fails; "never" if it never does
}

// recorded holds the recorded outcomes of one or more uses of a route.
type recorded struct {
	title, rule string
	allows      bool
	refusals    []string // "401 UNAUTHORIZED"
}

// TestInventory checks that the server has every operation of the API, with a route, an access rule, a recorded request
// that succeeds and one that fails, except as listed in the inventory.
func TestInventory(t *testing.T) {
	routes := map[string]bool{}
	for _, tab := range tables() {
		for _, r := range tab.rows {
			routes[r.route] = true
		}
	}
	sections, all := readTables(t), readInventory(t)
	allowed, refused := 0, 0
	for _, o := range all {
		route, _, _ := strings.Cut(o.section, " — ")
		if !routes[route] || !o.fits(route) {
			t.Errorf("%s: %s %s has no route %q", o.number, o.method, o.path, route)
		}
		got := recorded{rule: "none"}
		for _, s := range sections {
			if of, _, _ := strings.Cut(s.title, " — "); of != route || !strings.HasPrefix(s.title, o.section) {
				continue
			}
			if s.rule == "" {
				t.Errorf("%s: %s has no access rule", o.number, s.title)
			}
			got.allows = got.allows || s.allows
			got.refusals = append(got.refusals, s.refusals...)
		}
		if got.allows {
			allowed++
		}
		if len(got.refusals) > 0 {
			refused++
		}
		if why := o.misses(got); why != "" {
			t.Errorf(
				"%s: %s %s: %s; recorded are success: %v, refusals: %v",
				o.number,
				o.method,
				o.path,
				why,
				got.allows,
				got.refusals,
			)
		}
	}
	t.Logf("%d operations: %d with a call that succeeds, %d with one that is refused", len(all), allowed, refused)
	if len(all) != 194 {
		t.Errorf("%d operations, want 194", len(all))
	}
}

// misses describes what is missing among an operation's recorded outcomes, or returns "".
func (o operation) misses(got recorded) string {
	switch {
	case o.outcome == "never" && len(got.refusals) > 0:
		return "it is never to be refused"
	case o.outcome != "" && o.outcome != "never" && got.allows:
		return "it is always to be refused"
	case o.outcome != "" && o.outcome != "never" && !slices.Contains(got.refusals, o.outcome):
		return "it is to be refused with " + o.outcome
	case (o.outcome == "" || o.outcome == "never") && !got.allows:
		return "no call succeeds"
	case o.outcome == "" && len(got.refusals) == 0:
		return "no call is refused"
	}
	return ""
}

var parameters = regexp.MustCompile(`(/(\{\w+\}|:\w+\+?))+`)

// fits reports whether a route serves the operation. For mounts, the tables contain the request itself.
func (o operation) fits(route string) bool {
	if mount, ok := strings.CutPrefix(route, "GET mount /api/v1"); ok {
		return strings.HasPrefix(o.path, mount)
	}
	return parameters.ReplaceAllString(route, "/*") == o.method+" "+parameters.ReplaceAllString(o.path, "/*")
}

func readInventory(t *testing.T) []operation {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "inventory.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var all []operation
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "")
		if len(f) < 5 {
			t.Fatalf("inventory.tsv: %q", line)
		}
		all = append(all, operation{f[0], f[1], f[2], f[3], f[4]})
	}
	return all
}

// readTables parses the output of page.
func readTables(t *testing.T) []recorded {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatal("no tables", err)
	}
	var all []recorded
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split(string(b), "\n## ") {
			if i > 0 {
				all = append(all, readSection(text))
			}
		}
	}
	return all
}

var refusal = regexp.MustCompile(`\d{3}( [A-Z_]+)?:`)

func readSection(text string) recorded {
	parts := strings.SplitN(text, "\n\n", 3)
	s := recorded{title: parts[0], rule: parts[1]}
	_, rows, _ := strings.Cut(parts[2], "---|\n")
	for line := range strings.Lines(rows) {
		cells := strings.Split(strings.Trim(line, "|\n"), " | ")
		if len(cells) < 2 {
			continue
		}
		s.allows = s.allows || strings.TrimSpace(cells[len(cells)-2]) != "nobody"
		for _, no := range refusal.FindAllString(cells[len(cells)-1], -1) {
			s.refusals = append(s.refusals, strings.TrimSuffix(no, ":"))
		}
	}
	return s
}
