package cli_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first organization of a server can be an imported one, without stoa init. A second one needs a name.
func TestImportFounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive := filepath.Join(dir, "slack.zip")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range map[string]string{
		"users.json": `[{"id":"U1","name":"ann","is_primary_owner":true,"is_owner":true,"is_admin":true,` +
			`"profile":{"real_name":"Ann","email":"ann@example.com"}}]`,
		"channels.json":           `[{"id":"C1","name":"general","created":1600000000,"members":["U1"]}]`,
		"general/2024-01-02.json": `[{"type":"message","user":"U1","text":"hello","ts":"1704188400.000100"}]`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	for range 2 { // a second time, it finds what it has imported
		r := stoa(t, "", "import", "slack", archive, "--data-dir", data, "--json").ok(t)
		if !strings.Contains(r.err, "\nmessages: 0 of 1\n") || !json.Valid([]byte(r.out)) {
			t.Errorf("want progress and a report, got:\n%s\n%s", r.err, r.out)
		}
	}
	if out := stoa(t, "", "user", "list", "--data-dir", data).ok(t).out; !strings.Contains(out, "ann@example.com  ") ||
		!strings.Contains(out, "owner") {
		t.Errorf("the owner is missing:\n%s", out)
	}
	other := filepath.Join(dir, "other")
	stoa(t, "", "init", "--demo", "--data-dir", other).ok(t)
	r := stoa(t, "", "import", "slack", archive, "--data-dir", other)
	if r.code != 2 || !strings.Contains(r.err, "--realm") {
		t.Errorf("beside another organization: %+v", r)
	}
}
