package cli_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/stoachat/stoa/modules/standard"
)

// withFile creates an organization with a file in a message, and returns its data directory.
func withFile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	made := founded(t, "--data-dir", dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	at := attach(t, s.url, made.Email, made.Key, "content")
	status, sent := ask(t, http.MethodPost, s.url+"/api/v1/messages", made.Email, made.Key, url.Values{"type": {"stream"},
		"to": {"general"}, "topic": {"files"}, "content": {fmt.Sprintf("[file](%s)", at)}})
	if status != http.StatusOK {
		t.Fatal(sent)
	}
	s.stop(0)
	return dir
}

// Whatever is wrong with a target or a source is named in one sentence, with an exit code of its own.
func TestRestoreRefused(t *testing.T) {
	t.Parallel()
	dir, work := withFile(t), t.TempDir()
	in := func(name string) string { return filepath.Join(work, name) }
	stoa(t, "", "restore", in("none"), "--data-dir", in("new")).fails(t, 3, in("none"), "does not exist")
	stoa(t, "", "restore", dir, "--data-dir", in("new")).fails(t, 4, "serve --data-dir "+dir)
	stoa(t, "", "restore", "--data-dir", in("new")).fails(t, 2, "backup.target")
	stoa(t, "", "backup", "--data-dir", dir).fails(t, 2, "TARGET")
	stoa(t, "", "backup", dir, "--data-dir", dir).fails(t, 4, "not a folder of backups")
	stoa(t, "", "backup", in("b"), "--data-dir", in("nobody")).fails(t, 1, "there is no organization yet")
	stoa(t, "", "backup", in("b"), "--keep", "7x", "--data-dir", dir).fails(t, 2, "7d,4w,12m")
	stoa(t, "", "backup", in("b"), "--age", "me", "--data-dir", dir).fails(t, 1, "public key of age")
	stoa(t, "", "backup", in("b.tar"), "--keep", "7d", "--data-dir", dir).fails(t, 2, "--keep")
	stoa(t, "", "backup", "s3://b", "--data-dir", dir).fails(t, 1, "backup.s3.endpoint")
	stoa(t, "", "backup", in("b"), "--data-dir", dir).ok(t)
	stoa(t, "", "backup", in("b.tar"), "--data-dir", dir).ok(t)
	stoa(t, "", "backup", in("b.tar"), "--data-dir", dir).fails(t, 4, "exists already")
	stoa(t, "", "restore", in("b"), "--data-dir", dir).fails(t, 4, "the database is not empty", "--data-dir")
	if err := os.WriteFile(in("bare.tar"), []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "restore", in("bare.tar"), "--data-dir", in("new")).fails(t, 1, in("bare.tar"), "not an archive",
		"copy the backup again")
	stoa(t, "", "restore", in("b"), "--at", "yesterday", "--data-dir", in("new")).fails(t, 3, "yesterday", "there are")

	// A data directory that lost only its database: files and secret remain.
	lost := t.TempDir()
	if err := os.CopyFS(lost, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stoa.db", "stoa.db-wal", "stoa.db-shm"} {
		_ = os.Remove(filepath.Join(lost, name))
	}
	stoa(t, "", "restore", in("b"), "--data-dir", lost).fails(t, 4, "already contains files", "--keep-files")
	stoa(t, "", "restore", in("b"), "--data-dir", lost, "--keep-files").ok(t)
	stoa(t, "", "blobs", "check", "--data-dir", lost).ok(t)

	// A server does not start with a half-restored database, and a backup of it is refused.
	stoa(t, "", "restore", damaged(t, in("b"), "messages.zst", flip), "--data-dir", in("half")).
		fails(t, 1, "messages.zst", "has been changed or is damaged", "copy the backup again", "--at")
	for _, command := range [][]string{{"serve", "--http-addr", "127.0.0.1:0"}, {"backup", in("c")}, {"user", "list"}} {
		stoa(t, "", append(command, "--data-dir", in("half"))...).fails(t, 1, "incomplete", "run")
	}
	stoa(t, "", "restore", in("b"), "--data-dir", in("half")).ok(t)
	stoa(t, "", "user", "list", "--data-dir", in("half")).ok(t)

	newer := func(path string, manifest map[string]any) {
		steps := manifest["migrations"].([]any)
		manifest["version"] = "v99"
		manifest["migrations"] = append(steps, map[string]any{"module": "messages", "name": "999_future"})
	}
	stoa(t, "", "restore", edited(t, in("b"), newer), "--data-dir", in("x")).fails(t, 4, "v99", "messages")
	other := func(_ string, manifest map[string]any) {
		manifest["migrations"] = append(manifest["migrations"].([]any), map[string]any{"module": "own", "name": "1"})
	}
	stoa(t, "", "restore", edited(t, in("b"), other), "--data-dir", in("y")).fails(t, 4, "own", "--ignore-modules")
	stoa(t, "", "restore", edited(t, in("b"), other), "--data-dir", in("y"), "--ignore-modules").ok(t)
	stoa(t, "", "backup", "verify", "--deep", edited(t, in("b"), newer)).fails(t, 4, "v99", "that version")
	format := func(_ string, manifest map[string]any) { manifest["format"] = 2 }
	stoa(t, "", "restore", edited(t, in("b"), format), "--data-dir", in("z")).fails(t, 4, "newer than this one")
}

// An encrypted backup reveals nothing, is verified without its key, and restored only with it.
func TestEncryptedBackup(t *testing.T) {
	t.Parallel()
	dir, work := withFile(t), t.TempDir()
	key := func(name string) (string, string) {
		k, err := age.GenerateX25519Identity()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(work, name)
		if err := os.WriteFile(path, []byte(k.String()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return k.Recipient().String(), path
	}
	recipient, identity := key("right")
	_, wrong := key("wrong")
	to := filepath.Join(work, "b")
	stoa(t, "", "backup", to, "--age", recipient, "--data-dir", dir).ok(t)
	again := stoa(t, "", "backup", to, "--age", recipient, "--data-dir", dir, "--keep", "1d").ok(t)
	if !strings.Contains(again.out, "Deleted 1 older backups and 0 files") {
		t.Errorf("output: %s", again.out)
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("o@example.com")) || string(b) == "content" {
			t.Errorf("%s is not encrypted", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := stoa(t, "", "backup", "verify", to).ok(t); !strings.Contains(r.out, "--identity") {
		t.Errorf("output: %s", r.out)
	}
	stoa(t, "", "backup", "verify", to, "--identity", identity).ok(t)
	stoa(t, "", "backup", "verify", to, "--identity", wrong).fails(t, 1, "another key", "--identity", recipient)
	stoa(t, "", "backup", "verify", to, "--identity", filepath.Join(work, "none")).fails(t, 2, "--identity", "none")
	stoa(t, "", "backup", "verify", "--deep", to).fails(t, 2, "--deep", "--identity")
	stoa(t, "", "backup", "verify", "--deep", to, "--identity", identity).ok(t)
	stoa(t, "", "restore", to, "--data-dir", filepath.Join(work, "n")).fails(t, 1, "encrypted", "--identity")
	stoa(t, "", "restore", to, "--data-dir", filepath.Join(work, "n"), "--identity", wrong).fails(t, 1, "another key",
		recipient)
	stoa(t, "", "restore", to, "--data-dir", filepath.Join(work, "n"), "--identity", to).fails(t, 2, "--identity")
	stoa(t, "", "restore", to, "--data-dir", filepath.Join(work, "n"), "--identity", identity).ok(t)
	stoa(t, "", "blobs", "check", "--data-dir", filepath.Join(work, "n")).ok(t)
}

// Files are stored once, however many backups refer to them, and deleted with the last of these.
func TestBackupKeep(t *testing.T) {
	t.Parallel()
	dir, to := withFile(t), filepath.Join(t.TempDir(), "b")
	stoa(t, "", "backup", to, "--data-dir", dir).ok(t)
	blobs := func() int {
		all, err := filepath.Glob(filepath.Join(to, "blobs", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	sets := func() []string {
		all, err := filepath.Glob(filepath.Join(to, "sets", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if blobs() != 1 || len(sets()) != 1 {
		t.Fatal(blobs(), sets())
	}
	// As if it had been made long ago, with a file that no longer exists.
	if err := os.Rename(sets()[0], filepath.Join(to, "sets", "20200102T030405Z")); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	founded(t, "--data-dir", empty)
	stoa(t, "", "backup", to, "--data-dir", empty, "--keep", "1d,2w").ok(t)
	if blobs() != 1 || len(sets()) != 2 {
		t.Error(blobs(), sets())
	}
	stoa(t, "", "backup", "verify", to, "--at", "20200102T030405Z").ok(t)
	done := stoa(t, "", "backup", to, "--data-dir", empty, "--keep", "1d").ok(t)
	if blobs() != 0 || len(sets()) != 1 || !strings.Contains(done.out, "Deleted 2 older backups and 1 files") {
		t.Error(blobs(), sets(), done.out)
	}
}
