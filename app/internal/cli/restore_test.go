package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/app/kittest/testrun"
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
		fails(t, 1, "messages.zst", "has been changed or is damaged")
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
	format := func(_ string, manifest map[string]any) { manifest["format"] = 2 }
	stoa(t, "", "restore", edited(t, in("b"), format), "--data-dir", in("z")).fails(t, 4, "newer than this one")
}

func flip(b []byte) []byte { b[len(b)/2] ^= 1; return b }

// damaged returns a copy of a folder of backups in which the content of one part is changed.
func damaged(t *testing.T, dir, name string, change func([]byte) []byte) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != name {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, change(b), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// edited returns a copy of a folder of backups with another manifest, as if it had been written so.
func edited(t *testing.T, dir string, change func(path string, manifest map[string]any)) string {
	t.Helper()
	var sum string
	to := damaged(t, dir, "manifest.json", func(b []byte) []byte {
		m := map[string]any{}
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		change(dir, m)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256(b)
		sum = hex.EncodeToString(digest[:])
		return b
	})
	return damaged(t, to, "complete", func([]byte) []byte { return []byte(sum) })
}

// Every changed or missing byte is found, in a folder and in an archive, and no such backup can be restored.
func TestBackupMutations(t *testing.T) {
	testrun.Unraced(t, "its commands run one after the other")
	dir, work := withFile(t), t.TempDir()
	folder, archive := filepath.Join(work, "b"), filepath.Join(work, "b.tar")
	stoa(t, "", "backup", folder, "--data-dir", dir).ok(t)
	stoa(t, "", "backup", archive, "--data-dir", dir).ok(t)
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "begun" {
			parts = append(parts, d.Name())
		}
		return err
	})
	if err != nil || len(parts) < 20 {
		t.Fatal(parts, err)
	}
	rounds := len(parts)
	if !testrun.Long() {
		rounds = 12
	}
	for i, at := range rand.Perm(len(parts))[:rounds] {
		name := parts[at]
		change := []func([]byte) []byte{
			flip, func(b []byte) []byte { return b[:len(b)-1] }, func(b []byte) []byte { return append(b, 0) },
		}[i%3]
		bad := damaged(t, folder, name, change)
		if r := stoa(t, "", "backup", "verify", bad); r.code == 0 {
			t.Errorf("%s, change %d: verified\n%s", name, i%3, r.out)
		}
		if r := stoa(t, "", "restore", bad, "--data-dir", filepath.Join(work, fmt.Sprint(i))); r.code == 0 &&
			name != "blobs.zst" { // only of use for verifying and pruning
			t.Errorf("%s, change %d: restored\n%s", name, i%3, r.out)
		}
	}
	end := len(bytes.TrimRight(whole, "\x00")) // what follows is only padding
	for i := range 8 {
		cut := rand.IntN(end)
		path := filepath.Join(work, fmt.Sprint(i, ".tar"))
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if r := stoa(t, "", "restore", path, "--data-dir", filepath.Join(work, "t")); r.code == 0 {
			t.Errorf("an archive of %d of %d bytes was restored", cut, len(whole))
		}
	}
}

// An encrypted backup reveals nothing, is verified without its key, and restored only with it.
func TestEncryptedBackup(t *testing.T) {
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
	stoa(t, "", "restore", to, "--data-dir", filepath.Join(work, "n")).fails(t, 1, "encrypted", "--identity")
	stoa(t, "", "restore", to, "--data-dir", filepath.Join(work, "n"), "--identity", wrong).fails(t, 1, "another key")
	stoa(t, "", "restore", to, "--data-dir", filepath.Join(work, "n"), "--identity", to).fails(t, 2, "--identity")
	stoa(t, "", "restore", to, "--data-dir", filepath.Join(work, "n"), "--identity", identity).ok(t)
	stoa(t, "", "blobs", "check", "--data-dir", filepath.Join(work, "n")).ok(t)
}

// A bucket holds backups like a folder, of files in the same bucket. What cannot be reached is named.
func TestBackupToBucket(t *testing.T) {
	b := blobtest.S3(t)
	for name, value := range map[string]string{
		"ENDPOINT": b.Endpoint, "REGION": b.Region, "ACCESS_KEY": b.AccessKey, "SECRET_KEY": b.SecretKey,
	} {
		t.Setenv("STOA_BACKUP_S3_"+name, value)
	}
	dir, to := withFile(t), "s3://"+b.Name+"/some/backups"
	run := func(args ...string) result { t.Helper(); return stoaIn(t, os.Environ(), args...) }
	run("backup", to, "--data-dir", dir).ok(t)
	var got struct {
		Bytes int64 `json:"bytes"`
		New   int64 `json:"new_bytes"`
	}
	out := run("backup", to, "--data-dir", dir, "--keep", "1d", "--json").ok(t).out
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.New != got.Bytes-int64(len("content")) {
		t.Errorf("%v in %s", err, out)
	}
	run("backup", "verify", to).ok(t)
	run("restore", to, "--data-dir", filepath.Join(t.TempDir(), "n")).ok(t)
	run("backup", "s3://none", "--data-dir", dir).fails(t, 5, `the bucket "none" does not exist`)
	t.Setenv("STOA_BACKUP_S3_SECRET_KEY", "wrongwrong")
	run("backup", to, "--data-dir", dir).fails(t, 5, "cannot reach the bucket")
}

// Files are stored once, however many backups refer to them, and deleted with the last of these.
func TestBackupKeep(t *testing.T) {
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
