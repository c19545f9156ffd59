package cli_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/configs"
	"github.com/stoachat/stoa/modules/kit/openapi"
	"github.com/stoachat/stoa/modules/standard"
)

// TestOperations compares the names of the operations with the file. Clients are generated from these names, so never
// change one: add new ones with make generate.
func TestOperations(t *testing.T) {
	const file = "../../../modules/operations.txt"
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal([]byte(stoa(t, "", "openapi").ok(t).out), &doc); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for path, methods := range doc.Paths {
		for method, text := range methods {
			var o struct {
				ID string `json:"operationId"`
			}
			if json.Unmarshal(text, &o) == nil && o.ID != "" { // servers is no method
				lines = append(lines, fmt.Sprintf("%s %s %s\n", o.ID, strings.ToUpper(method), path))
			}
		}
	}
	slices.Sort(lines)
	got := strings.Join(lines, "")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("modules/operations.txt differs (%v): run make generate, and undo what it renames\n%s", err, got)
	}
}

// TestEverythingIsDescribed checks that all routes, fields and events of all modules are described.
func TestEverythingIsDescribed(t *testing.T) {
	for _, p := range describedByAll(t).Problems() {
		t.Error(p)
	}
}

// TestLevels checks that levels.txt names places of the description.
func TestLevels(t *testing.T) {
	d := describedByAll(t)
	for _, place := range openapi.Levels() {
		if !d.Dates(place) {
			t.Errorf("levels.txt names %s, which does not exist", place)
		}
	}
}

// describedByAll returns the description of the API of a server that runs all modules.
func describedByAll(t *testing.T) *openapi.Document {
	t.Helper()
	var add []string
	for _, m := range standard.Modules() {
		if m.Slot == "" {
			add = append(add, "modules."+m.Name)
		}
	}
	s, err := server.Inspect(t.Context(), config.Sources{Base: configs.Local(), Add: add, Set: map[string]string{
		"adapters.incoming.use": "smtp", "adapters.delivery.use": "direct",
	}}, standard.Modules()...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop(t.Context()) }()
	return openapi.New(openapi.Source{Modules: s.Modules()})
}

// TestSizeOfDescription limits what clients download: in bytes, and compressed. Each operation repeats when its errors
// occur, so that its entry suffices to read about it; that is a quarter of the bytes, but costs little when
// compressed.
func TestSizeOfDescription(t *testing.T) {
	text, err := describedByAll(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if len(text) > 3<<19 || packed.Len() > 120<<10 {
		t.Errorf("%d bytes, compressed %d", len(text), packed.Len())
	}
	t.Logf("%d bytes, compressed %d", len(text), packed.Len())
}

func TestOpenAPI(t *testing.T) {
	text := stoa(t, "", "openapi", "--yaml").ok(t).out
	if !strings.HasPrefix(text, "openapi: \"3.1.1\"\n") || !strings.Contains(text, `version: "`+testVersion+`"`) {
		t.Errorf("YAML: %.200s", text)
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(stoa(t, "", "openapi", "--profile", "strings").ok(t).out), &doc); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "older.json")
	older := strings.Replace(stoa(t, "", "openapi").ok(t).out, `"operationId":"sendMessage"`, `"operationId":"post"`, 1)
	if err := os.WriteFile(file, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	got := stoa(t, "", "openapi", "--changes", file).ok(t).out
	if !strings.Contains(got, "! post: removed\n") || !strings.Contains(got, "  sendMessage: added\n") {
		t.Errorf("changes: %.500s", got)
	}
	if r := stoa(t, "", "openapi", "--profile", "other"); r.code != 2 {
		t.Errorf("an unknown profile: %+v", r)
	}
}
