package imports_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// The sources have tests of their own; this one reads a small archive through the command.
func TestExamine(t *testing.T) {
	s := start(t, "")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"users.json":    `[{"id":"U1","name":"ada","profile":{"real_name":"Ada","email":"ada@example.com"}}]`,
		"channels.json": `[{"id":"C1","name":"general","is_general":true,"members":["U1"],"created":1716379200}]`,
		"general/2024-05-22.json": `[{"type":"message","user":"U1","text":"hello","ts":"1716379201.000100"},` +
			`{"type":"message","user":"U1","text":"when?","ts":"never"},` +
			`{"type":"message","subtype":"channel_join","user":"U1","text":"joined","ts":"1716379200.000100"}]`,
	} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, ok := s.Ports.Collected.Command("import examine")
	if !ok {
		t.Fatal("no command")
	}
	run := func(args ...string) (string, error) {
		t.Helper()
		flags, err := json.Marshal(map[string]string{"Format": args[0], "Archive": args[1]})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = c.Run(t.Context(), user.Actor{System: true}, flags, &out)
		return out.String(), err
	}
	text, err := run("slack", dir)
	for _, want := range []string{
		`"kind":"channels","imported":1,`, `"kind":"messages","imported":1,"converted":0,"skipped":1,"refused":1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q: %v\n%s", want, err, text)
		}
	}
	if _, err := run("mattermost", dir); !errs.Is(err, errs.Invalid) {
		t.Errorf("the archive of another program: %v", err)
	}
	if _, err := run("teams", dir); !errs.Is(err, errs.Invalid) {
		t.Errorf("an unknown program: %v", err)
	}
	if _, err := run("slack", filepath.Join(dir, "missing")); err == nil {
		t.Error("a missing archive was examined")
	}
}
