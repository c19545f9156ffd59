package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// owner is an organization's first user.
type owner struct {
	Email string `json:"email"`
	Key   string `json:"api_key"`
}

// founded creates an organization on the server with the given flags.
func founded(t *testing.T, flags ...string) owner {
	t.Helper()
	r := stoa(t, "", append([]string{"init", "--realm", "R", "--owner-email", "o@example.com", "--owner-name", "O",
		"--json"}, flags...)...).ok(t)
	var made owner
	if err := json.Unmarshal([]byte(r.out), &made); err != nil {
		t.Fatal(err)
	}
	return made
}

// attach uploads a file and returns its URL.
func attach(t *testing.T, server, email, key, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "a.txt")
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal([]byte(fetch(t, "POST", server+"/api/v1/user_uploads", email, key, w.FormDataContentType(),
		&b)), &got); err != nil {
		t.Fatal(err)
	}
	return got.URL
}

func fetch(t *testing.T, method, address, email, key, contentType string, body io.Reader) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(email, key)
	req.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%s %s: %d %s %v", method, address, res.StatusCode, got, err)
	}
	return string(got)
}

// Files are checked, and moved from a folder to a bucket and back while a server uses both.
func TestBlobs(t *testing.T) {
	t.Parallel()
	dir, bucket := t.TempDir(), blobtest.S3(t)
	made := founded(t, "--data-dir", dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	at := attach(t, s.url, made.Email, made.Key, "content")
	attach(t, s.url, made.Email, made.Key, "other")
	stoa(t, "", "realm", "quota", "--data-dir", dir, "--realm-id", "1", "many").fails(t, 2, "mebibytes")
	stoa(t, "", "realm", "quota", "--data-dir", dir, "--realm-id", "1", "--", "-1").fails(t, 1, "upload_quota_mib")
	for limit, want := range map[string]any{"5": 5.0, "none": nil} {
		stoa(t, "", "realm", "quota", "--data-dir", dir, "--realm-id", "1", limit).ok(t)
		kittest.Await(t, func() bool {
			_, got := ask(t, "POST", s.url+"/api/v1/register", made.Email, made.Key, url.Values{"event_types": {`["realm"]`}})
			return got["realm_upload_quota_mib"] == want
		})
	}
	s.stop(0)
	if r := stoa(t, "", "blobs", "check", "--data-dir", dir).ok(t); r.out != "2 files, 0 missing, 0 unnamed (0 bytes)\n" {
		t.Errorf("check: %s", r.out)
	}
	stoa(t, "", "blobs", "move", "--data-dir", dir).fails(t, 1, "only one file store", "moving_from")

	configure := func(to string) string {
		s3 := fmt.Sprintf("use: s3, endpoint: %q, region: %s, bucket: %s, access_key: %s, secret_key: %s",
			bucket.Endpoint, bucket.Region, bucket.Name, bucket.AccessKey, bucket.SecretKey)
		if to == "disk" {
			return withStore(t, "{use: disk, moving_from: {"+s3+"}}")
		}
		return withStore(t, "{"+s3+", moving_from: {use: disk}}")
	}
	for _, to := range []string{"s3", "disk"} {
		config := configure(to)
		s := serve(t, standard.Modules(), "--config", config, "--data-dir", dir)
		r := stoa(t, "", "blobs", "move", "--config", config, "--data-dir", dir).ok(t)
		if !strings.Contains(r.out, "0 %: 0 of 2 files") || !strings.HasSuffix(r.out, "done: 2 files, 12 bytes\n") {
			t.Errorf("to %s: %s", to, r.out)
		}
		if got := fetch(t, "GET", s.url+at, made.Email, made.Key, "", nil); got != "content" {
			t.Errorf("%q when it was moved to %s", got, to)
		}
		s.stop(0)
		if r := stoa(t, "", "blobs", "check", "--config", config, "--data-dir", dir).ok(t); !strings.HasPrefix(r.out,
			"2 files, 0 missing") {
			t.Errorf("check: %s", r.out)
		}
	}

	files, err := filepath.Glob(filepath.Join(dir, "blobs", "uploads", "*", "*", "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	long := time.Now().Add(-2 * time.Hour)
	stray := filepath.Join(dir, "blobs", "uploads", "1", "stray")
	if err := errors.Join(os.Remove(files[0]), os.WriteFile(stray, []byte("xyz"), 0o600),
		os.Chtimes(stray, long, long)); err != nil {
		t.Fatal(err)
	}
	gone, err := filepath.Rel(filepath.Join(dir, "blobs"), files[0])
	if err != nil {
		t.Fatal(err)
	}
	r := stoa(t, "", "blobs", "check", "--data-dir", dir)
	if r.code != 1 || !strings.Contains(r.out, "missing "+gone+"\n") ||
		!strings.Contains(r.out, "unnamed uploads/1/stray (3 bytes)\n") ||
		!strings.HasSuffix(r.out, "2 files, 1 missing, 1 unnamed (3 bytes)\n") {
		t.Errorf("%d %s %s", r.code, r.out, r.err)
	}
}
