package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
)

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

// What a bucket does not permit is named, with the permission that is missing and the key that lacks it.
func TestBackupToBucketWithoutRights(t *testing.T) {
	t.Parallel()
	b, dir := blobtest.S3(t), withFile(t)
	to := "s3://" + b.Name + "/backups"
	in := func(endpoint string, args ...string) result {
		t.Helper()
		return stoaIn(t, []string{"STOA_BACKUP_S3_ENDPOINT=" + endpoint, "STOA_BACKUP_S3_REGION=" + b.Region,
			"STOA_BACKUP_S3_ACCESS_KEY=" + b.AccessKey, "STOA_BACKUP_S3_SECRET_KEY=" + b.SecretKey}, args...)
	}
	in(b.Endpoint, "backup", to, "--data-dir", dir).ok(t)
	lists := func(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Query().Has("list-type") }
	for _, c := range []struct {
		name, permission string
		denies           func(*http.Request) bool
		args             []string
	}{
		{"read-only", "s3:PutObject", func(r *http.Request) bool { return r.Method == http.MethodPut },
			[]string{"backup", to, "--data-dir", dir}},
		{"no deletion", "s3:DeleteObject", func(r *http.Request) bool { return r.Method == http.MethodPost },
			[]string{"backup", to, "--keep", "1d", "--data-dir", dir}},
		{"no listing", "s3:ListBucket", lists, []string{"restore", to, "--data-dir", filepath.Join(t.TempDir(), "n")}},
		{"no bucket", "s3:ListBucket", func(r *http.Request) bool { return r.Method == http.MethodHead },
			[]string{"restore", to, "--data-dir", filepath.Join(t.TempDir(), "n")}},
		{"write-only", "s3:GetObject", func(r *http.Request) bool { return r.Method == http.MethodGet && !lists(r) },
			[]string{"backup", "verify", to}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(denying(t, b, c.denies), c.args...).fails(t, 5, "allow "+c.permission, "backup.s3")
		})
	}
	in(b.Endpoint, "backup", "verify", to).ok(t)
}
