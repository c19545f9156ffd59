package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/standard"
)

// A store that is down or refuses what the server does is found at the start and by /health, under its own name and
// with what to do about it. Nothing is blamed on the database, which works.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	dir, b := filepath.Join(t.TempDir(), "data"), blobtest.S3(t)
	made := founded(t, "--data-dir", dir)
	config := withBucket(t)
	for _, c := range []struct{ name, endpoint, bucket, secret, want string }{
		{"down", "http://" + testrun.FreeAddr(t), b.Name, b.SecretKey, "start the store"},
		{"read-only", denying(t, b, func(r *http.Request) bool { return r.Method == http.MethodPut }), b.Name, b.SecretKey,
			"allow s3:PutObject"},
		{"missing", b.Endpoint, "none", b.SecretKey, "create the bucket, or correct adapters.blob.bucket"},
		{"wrong key", b.Endpoint, b.Name, "wrong" + b.SecretKey, "correct adapters.blob.access_key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serveIn(t, []string{
				"STOA_ADAPTERS_BLOB_ENDPOINT=" + c.endpoint, "STOA_ADAPTERS_BLOB_REGION=" + b.Region,
				"STOA_ADAPTERS_BLOB_BUCKET=" + c.bucket, "STOA_ADAPTERS_BLOB_ACCESS_KEY=" + b.AccessKey,
				"STOA_ADAPTERS_BLOB_SECRET_KEY=" + c.secret, "STOA_ADAPTERS_BLOB_TRIES=1", "STOA_LOG_LEVEL=info",
			}, standard.Modules(), "--config", config, "--data-dir", dir)
			kittest.Await(t, func() bool { return strings.Contains(s.errs.String(), "check=adapters.blob") })
			for range 2 {
				if status, body := upload(t, s.url, made); status != http.StatusServiceUnavailable {
					t.Errorf("upload: %d %s", status, body)
				}
			}
			status, health := ask(t, "GET", s.url+"/health", "", "", nil)
			checks, _ := health["checks"].(map[string]any)
			if status != 200 || health["status"] != "degraded" || checks["adapters.blob"] != "failing" ||
				checks["server.database"] != "ok" {
				t.Errorf("health: %d %v", status, health)
			}
			s.stop(0)
			log := s.errs.String()
			if !strings.Contains(log, c.want) || strings.Contains(log, "the database does not") ||
				strings.Contains(log, c.secret) {
				t.Errorf("want %q in the log, and no blame on the database:\n%s", c.want, log)
			}
		})
	}
}

// withBucket returns a configuration like the default one, but with files in a bucket.
func withBucket(t *testing.T) string {
	t.Helper()
	return withStore(t, "{use: s3}")
}

// withStore returns a configuration like the default one, but for the section of the store.
func withStore(t *testing.T, section string) string {
	t.Helper()
	local, err := os.ReadFile(filepath.Join("..", "..", "..", "configs", "local.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(local), "blob:")
	_, after, ok := strings.Cut(rest, "use: disk")
	if !ok {
		t.Fatal("configs/local.yaml has no store on a disk")
	}
	file := filepath.Join(t.TempDir(), "stoa.yaml")
	if err := os.WriteFile(file, []byte(before+"blob: "+section+after), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// upload uploads a file and returns the response.
func upload(t *testing.T, server string, by owner) (int, string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, "content")
	_ = w.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/api/v1/user_uploads", &form)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(by.Email, by.Key)
	req.Header.Set("Content-Type", w.FormDataContentType())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var body json.RawMessage
	_ = json.NewDecoder(res.Body).Decode(&body)
	return res.StatusCode, string(body)
}

// A mail server that is down is found at the start, under its own name.
func TestMailServerFails(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	founded(t, "--data-dir", dir)
	_, port, _ := strings.Cut(strings.TrimPrefix("http://"+testrun.FreeAddr(t), "http://"), ":")
	s := serveIn(t, []string{
		"STOA_ADAPTERS_MAIL_USE=smtp", "STOA_ADAPTERS_MAIL_HOST=127.0.0.1", "STOA_ADAPTERS_MAIL_PORT=" + port,
		"STOA_ADAPTERS_MAIL_TLS=none", "STOA_ADAPTERS_MAIL_FROM=noreply@chat.example.com",
		"STOA_HTTP_URL=http://chat.example.com", "STOA_LOG_LEVEL=info",
	}, standard.Modules(), "--data-dir", dir)
	kittest.Await(t, func() bool { return strings.Contains(s.errs.String(), "check=adapters.mail") })
	s.stop(0)
	if log := s.errs.String(); !strings.Contains(log, "start it, or correct adapters.mail.host") ||
		strings.Contains(log, "the database does not") {
		t.Error(log)
	}
}
