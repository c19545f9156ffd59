package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
)

// A part of a backup that is truncated, changed or missing is named, with what to do about it.
func TestRestoreOfDamage(t *testing.T) {
	t.Parallel()
	dir, work := withFile(t), t.TempDir()
	whole := filepath.Join(work, "b")
	stoa(t, "", "backup", whole, "--data-dir", dir).ok(t)
	blobs, err := filepath.Glob(filepath.Join(whole, "blobs", "*", "*"))
	if err != nil || len(blobs) != 1 {
		t.Fatal(blobs, err)
	}
	for i, part := range []string{"messages.zst", filepath.Base(blobs[0]), "files.zst", "manifest.json", "complete"} {
		t.Run(part, func(t *testing.T) {
			to := filepath.Join(work, fmt.Sprint(i))
			named := part
			if part == "complete" {
				named = "manifest.json" // which no longer fits
			}
			for _, change := range []func([]byte) []byte{flip, func(b []byte) []byte { return b[:len(b)-1] }} {
				stoa(t, "", "restore", damaged(t, whole, part, change), "--data-dir", to).
					fails(t, 1, named, "copy the backup again, or name another one with --at")
			}
			lacking := damaged(t, whole, "none", flip)
			if err := filepath.WalkDir(lacking, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Name() == part {
					err = os.Remove(path)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			code, want := 1, "is missing"
			if part == "complete" {
				code, want = 3, "was interrupted"
			}
			stoa(t, "", "restore", lacking, "--data-dir", to).fails(t, code, want)
			stoa(t, "", "restore", whole, "--data-dir", to).ok(t)
		})
	}
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
	t.Parallel()
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
