package cli_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Verifying a backup deeply finds the damage of a server that was backed up faithfully, which its hashes cannot reveal.
// It leaves nothing behind.
func TestBackupVerifyDeep(t *testing.T) {
	dir, temporary := withFile(t), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	verify := func(damage ...string) result {
		t.Helper()
		to := filepath.Join(t.TempDir(), "b.tar")
		change(t, dir, damage...)
		stoa(t, "", "backup", to, "--data-dir", dir).ok(t)
		if r := stoa(t, "", "backup", "verify", to).ok(t); !strings.Contains(r.out, "undamaged") {
			t.Errorf("output: %s", r.out)
		}
		// The server's own database and secret do not matter.
		r := stoaIn(t, []string{"STOA_SECRET=" + strings.Repeat("another ", 8)}, "backup", "verify", "--deep", to,
			"--database-url", "postgres://nobody@127.0.0.1:1/none")
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
		return r
	}
	if r := verify().ok(t); !strings.Contains(r.out, "undamaged, and can be restored") {
		t.Errorf("output: %s", r.out)
	}
	for _, c := range []struct{ damage, undo, want string }{
		{"UPDATE upload_space SET bytes = bytes + 1", "UPDATE upload_space SET bytes = bytes - 1",
			"uploads.space: 1 row"},
		{"UPDATE attachments SET blob_key = blob_key || 'x'",
			"UPDATE attachments SET blob_key = substr(blob_key, 1, length(blob_key) - 1)", "server.files: 1 files are missing"},
	} {
		r := verify(c.damage)
		r.fails(t, 1, "damaged server", "doctor --fix")
		if !strings.Contains(r.out, "the restored database fails "+c.want) {
			t.Errorf("%s: %s", c.damage, r.out)
		}
		change(t, dir, c.undo)
	}

	// What is written must also be what this version can read.
	to := filepath.Join(t.TempDir(), "b")
	stoa(t, "", "backup", to, "--data-dir", dir).ok(t)
	other := edited(t, to, func(_ string, manifest map[string]any) {
		for _, table := range manifest["tables"].([]any) {
			if table := table.(map[string]any); table["name"] == "messages" {
				table["columns"].([]any)[0] = "renamed"
			}
		}
	})
	stoa(t, "", "backup", "verify", other).ok(t)
	r := stoa(t, "", "backup", "verify", "--deep", other)
	r.fails(t, 1, "damaged; restore another one")
	if !strings.Contains(r.out, "cannot be restored: the table messages") {
		t.Errorf("output: %s", r.out)
	}
}

// change runs statements on the SQLite database of a server.
func change(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "stoa.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
