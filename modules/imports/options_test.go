package imports_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes the files of an archive into a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The options about threads and workspaces reach the sources.
func TestThreadOptions(t *testing.T) {
	lists := map[string]string{
		"users.json":    `[{"id":"U1","name":"ada","is_primary_owner":true,"profile":{"email":"ada@example.com"}}]`,
		"channels.json": `[{"id":"C1","name":"garden","members":["U1"],"created":1716379200,"pins":[{"id":"1716379201.0001"}]}]`,
		"garden/1.json": `[{"type":"message","user":"U1","text":"plan","ts":"1716379201.000100","reply_count":1,
			"thread_ts":"1716379201.000100","pinned_to":["C1"]},
			{"type":"message","user":"U1","text":"no","ts":"1716379202.000100","thread_ts":"1716379201.000100"}]`,
	}
	files := map[string]string{"org_users.json": lists["users.json"]}
	for name, text := range lists {
		files["teams/north/"+name] = text
		files["teams/south/"+strings.ReplaceAll(name, "garden", "cellar")] = strings.ReplaceAll(text, "garden", "cellar")
	}
	s, dir := start(t, ""), write(t, files)
	if _, err := s.command(t.Context(), "import slack", map[string]any{"Archive": dir, "Realm": "a"}); err == nil {
		t.Error("several workspaces were imported at once")
	}
	r, err := s.command(t.Context(), "import slack", map[string]any{
		"Archive": dir, "Realm": "b", "Workspace": "south", "Threads": "inline", "MainTopic": "old", "NoPins": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.topics(r, "b", "cellar"), "old"; got != want {
		t.Errorf("inline: topics %q, want %q", got, want)
	}
	r, err = s.command(t.Context(), "import slack", map[string]any{
		"Archive": dir, "Realm": "c", "Workspace": "south", "Split": "month",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.topics(r, "c", "cellar"), "2024-05, pinned, plan"; got != want {
		t.Errorf("by month: topics %q, want %q", got, want)
	}
}
