package cli_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

var (
	recordings = flag.String("recorded", "", "add what is in files of this `folder` to the description of the API")
	compared   = flag.Bool("compared", false, "compare what -recorded names, which is of all tests, with the description")
)

// described is where the description of the API has its lists.
const described = "../../../modules/kit/openapi/"

func readRecordings(t *testing.T) []kittest.Recording {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(*recordings, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", *recordings, err)
	}
	var all []kittest.Recording
	for _, file := range files {
		all = append(all, readLines[kittest.Recording](t, file)...)
	}
	return all
}

// TestRecorded adds to the description of the API what tests have recorded, for make examples. With -compared it checks
// instead that the recordings of all tests have each code and each event that the description lists for an operation.
// It is skipped without recordings: other codes and events fail the tests that see them.
func TestRecorded(t *testing.T) {
	switch {
	case *recordings == "":
		t.Skip("no -recorded")
	case *compared:
		compareRecordings(t, readRecordings(t))
	default:
		addRecordings(t, readRecordings(t))
	}
}

// unseen are codes and events that no test in this process or another records, each with the reason.
var unseen = map[string]string{}

func compareRecordings(t *testing.T, all []kittest.Recording) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range all {
		seen[r.ID+" "+string(r.Code())] = true
		for _, e := range r.Events {
			seen[r.ID+" "+e] = true
		}
	}
	for _, file := range []string{"codes.txt", "causes.txt"} {
		for id, words := range readLists(t, described+file) {
			for _, word := range words {
				if key := id + " " + word; seen[key] == (unseen[key] != "") {
					t.Errorf("%s lists %s, seen by a test: %v, but unseen because of %q", file, key, seen[key], unseen[key])
				}
			}
		}
	}
}

// addRecordings adds to the description of the API what was recorded. Examples that exist stay.
func addRecordings(t *testing.T, all []kittest.Recording) {
	t.Helper()
	d := describedByAll(t)
	addSuccesses(t, d, all, described+"examples.jsonl")
	addRequests(t, all, described+"requests.jsonl")
	addErrors(t, all, described+"errors.jsonl")
	codes, causes := readLists(t, described+"codes.txt"), readLists(t, described+"causes.txt")
	for _, r := range all {
		if code := r.Code(); code != "" && !slices.Contains(codesOf(d, r.ID), code) {
			codes[r.ID] = append(codes[r.ID], string(code))
		}
		for _, e := range r.Events {
			if d.Describes(e) {
				causes[r.ID] = append(causes[r.ID], e)
			}
		}
	}
	writeLists(t, described+"codes.txt", codes)
	writeLists(t, described+"causes.txt", causes)
}

func addSuccesses(t *testing.T, d *openapi.Document, all []kittest.Recording, file string) {
	t.Helper()
	best, shown := map[string]kittest.Recording{}, map[string]int{}
	for _, r := range readLines[kittest.Recording](t, file) {
		best[r.ID], shown[r.ID] = r, 1<<30
	}
	for _, r := range all {
		shows, ok := r.Shows()
		if r.Response != nil && r.Code() == "" && ok && shows > shown[r.ID] && d.Admits(r.ID, r.Short().Response) {
			best[r.ID], shown[r.ID] = r.Short(), shows
		}
	}
	var lines strings.Builder
	for _, id := range slices.Sorted(maps.Keys(best)) {
		lines.WriteString(`{"id":"` + id + `","response":` + string(best[id].Response) + "}\n")
	}
	write(t, file, lines.String())
}

// addRequests chooses, for each operation without an example, the request that shows the most.
func addRequests(t *testing.T, all []kittest.Recording, file string) {
	t.Helper()
	best, shown := map[string]kittest.Recording{}, map[string]int{}
	for _, r := range readLines[kittest.Recording](t, file) {
		best[r.ID], shown[r.ID] = r, 1<<30
	}
	for _, r := range all {
		if shows := r.Sends(); shows > shown[r.ID] {
			best[r.ID], shown[r.ID] = r, shows
		}
	}
	var lines strings.Builder
	for _, id := range slices.Sorted(maps.Keys(best)) {
		lines.WriteString(`{"id":"` + id + `","request":` + string(best[id].Request) + "}\n")
	}
	write(t, file, lines.String())
}

// refusal is a kind of errors, of which one is an example. That of a general code stands for all operations.
type refusal struct {
	id     string
	status int
	code   errs.Code
}

// addErrors chooses, among the errors of each kind, one with as many keys as possible that many operations have.
func addErrors(t *testing.T, all []kittest.Recording, file string) {
	t.Helper()
	chosen, users := map[refusal]string{}, map[string]map[string]bool{} // users: the operations with a body
	for _, r := range readLines[openapi.Refused](t, file) {
		if r.General() {
			r.IDs = []string{""}
		}
		for _, id := range r.IDs {
			chosen[refusal{id, r.Status, r.Code()}] = string(r.Response)
		}
	}
	kept, candidates := maps.Clone(chosen), map[refusal]map[string]int{}
	for _, r := range all {
		shows, ok := r.Shows()
		if r.Code() == "" || !ok {
			continue
		}
		kind, body := refusal{r.ID, r.Status, r.Code()}, string(r.Short().Response)
		if (openapi.Refused{Status: r.Status, Response: r.Response}).General() {
			kind.id = ""
		}
		if candidates[kind] == nil {
			candidates[kind] = map[string]int{}
		}
		if users[body] == nil {
			users[body] = map[string]bool{}
		}
		candidates[kind][body], users[body][r.ID] = shows/kittest.MaxExample, true
	}
	for kind, bodies := range candidates {
		for body, shows := range bodies {
			best := chosen[kind]
			if kept[kind] == "" && (best == "" || cmp.Or(shows-bodies[best], len(users[body])-len(users[best]),
				len(best)-len(body), strings.Compare(best, body)) > 0) {
				chosen[kind] = body
			}
		}
	}
	ids := map[string]openapi.Refused{}
	for kind, body := range chosen {
		r := ids[body]
		r.Status, r.Response = kind.status, json.RawMessage(body)
		if kind.id != "" {
			r.IDs = append(r.IDs, kind.id)
		}
		ids[body] = r
	}
	lines := slices.SortedFunc(maps.Values(ids), func(a, b openapi.Refused) int {
		return cmp.Or(strings.Compare(string(a.Code()), string(b.Code())), strings.Compare(string(a.Response),
			string(b.Response)))
	})
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	for _, r := range lines {
		slices.Sort(r.IDs)
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	write(t, file, text.String())
}

func codesOf(d *openapi.Document, id string) []errs.Code {
	for _, p := range d.Paths {
		for _, o := range p.Operations() {
			if o.ID == id {
				return o.Codes
			}
		}
	}
	return nil
}

// readLists reads lines of a name and words.
func readLists(t *testing.T, file string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for line := range strings.Lines(read(t, file)) {
		words := strings.Fields(line)
		all[words[0]] = append(all[words[0]], words[1:]...)
	}
	return all
}

// writeLists writes what readLists reads, in lines of at most 120 characters.
func writeLists(t *testing.T, file string, all map[string][]string) {
	t.Helper()
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(all)) {
		words := slices.Compact(slices.Sorted(slices.Values(all[id])))
		for len(words) > 0 {
			line := id
			for len(words) > 0 && (line == id || len(line)+1+len(words[0]) <= 120) {
				line, words = line+" "+words[0], words[1:]
			}
			text.WriteString(line + "\n")
		}
	}
	write(t, file, text.String())
}

func readLines[T any](t *testing.T, file string) []T {
	t.Helper()
	var all []T
	for line := range strings.Lines(read(t, file)) {
		var r T
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, r)
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
