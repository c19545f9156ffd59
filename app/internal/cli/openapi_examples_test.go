package cli_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

var recordings = flag.String("recorded", "", "add responses in files of this `folder` to the description of the API")

// withoutExample are operations whose success has no example.
var withoutExample = []string{
	"getMessagesSummary",                        // never succeeds
	"putModule", "updateModule", "deleteModule", // respond with what the module returns
}

// TestExamples checks that each operation that returns more than "success" has an example of a response. make examples
// records those that kittest.Client receives; others are written by hand.
func TestExamples(t *testing.T) {
	if *recordings != "" {
		addRecordings(t)
		return // what is compiled in is older
	}
	for path, p := range describedByAll(t).Paths {
		for method, o := range p.Operations() {
			ok := o.Responses["200"]
			if ok == nil {
				continue // it only redirects
			}
			for _, media := range ok.Content {
				if slices.Contains(withoutExample, o.ID) {
					continue
				}
				if media.Schema != nil && media.Schema.Ref != "#/components/schemas/Success" && media.Example == nil {
					t.Errorf("%s (%s %s) has no example, or one that differs from its description; run make examples",
						o.ID, method, path)
				}
			}
		}
	}
}

// addRecordings adds to examples.jsonl and codes.txt what recorded responses show. Examples that exist stay.
func addRecordings(t *testing.T) {
	const folder = "../../../modules/kit/openapi/"
	d := describedByAll(t)
	best, shown := map[string]kittest.Recording{}, map[string]int{}
	for _, r := range readRecordings(t, folder+"examples.jsonl") {
		best[r.ID], shown[r.ID] = r, 1<<30
	}
	codes := map[string][]string{}
	for line := range strings.Lines(read(t, folder+"codes.txt")) {
		words := strings.Fields(line)
		codes[words[0]] = append(codes[words[0]], words[1:]...)
	}
	files, err := filepath.Glob(filepath.Join(*recordings, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", *recordings, err)
	}
	for _, file := range files {
		for _, r := range readRecordings(t, file) {
			shows, ok := r.Shows()
			switch code := r.Code(); {
			case code != "" && !openapi.IsGeneral(code):
				codes[r.ID] = append(codes[r.ID], string(code))
			case code == "" && ok && shows > shown[r.ID] && d.Admits(r.ID, r.Short().Response):
				best[r.ID], shown[r.ID] = r.Short(), shows
			}
		}
	}
	var lines, listed strings.Builder
	for _, id := range slices.Sorted(maps.Keys(best)) {
		lines.WriteString(`{"id":"` + id + `","response":` + string(best[id].Response) + "}\n")
	}
	for _, id := range slices.Sorted(maps.Keys(codes)) {
		slices.Sort(codes[id])
		if all := slices.Compact(codes[id]); len(all) > 0 {
			listed.WriteString(id + " " + strings.Join(all, " ") + "\n")
		}
	}
	write(t, folder+"examples.jsonl", lines.String())
	write(t, folder+"codes.txt", listed.String())
}

func readRecordings(t *testing.T, file string) []kittest.Recording {
	t.Helper()
	var all []kittest.Recording
	for line := range strings.Lines(read(t, file)) {
		var r kittest.Recording
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
