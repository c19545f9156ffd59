package uploads_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// tusRequest sends a request of the tus protocol. headers alternates names and values.
func tusRequest(
	s *testServer, who, method, address string, body io.Reader, headers ...string,
) (*http.Response, string) {
	s.T.Helper()
	if !strings.HasPrefix(address, "http") {
		address = s.URL + address
	}
	req, err := http.NewRequestWithContext(s.T.Context(), method, address, body)
	if err != nil {
		s.T.Fatal(err)
	}
	if who != "" {
		req.SetBasicAuth(s.As(who).Email(), s.As(who).Key())
	}
	req.Header.Set("Tus-Resumable", "1.0.0")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return res, string(b)
}

func metadata(name, kind string) string {
	b64 := base64.StdEncoding.EncodeToString
	return "filename " + b64([]byte(name)) + ",filetype " + b64([]byte(kind))
}

// createUpload creates an upload and returns its URL.
func createUpload(s *testServer, name string, size int) string {
	s.T.Helper()
	res, body := tusRequest(s, "alice", "POST", "/api/v1/tus/", nil, "Upload-Length", strconv.Itoa(size),
		"Upload-Metadata", metadata(name, "text/plain; charset=utf-8"))
	if res == nil || res.StatusCode != 201 {
		s.T.Fatalf("%v %s", res, body)
	}
	return res.Header.Get("Location")
}

func patch(s *testServer, who, address string, offset int, body io.Reader) (*http.Response, string) {
	s.T.Helper()
	return tusRequest(s, who, "PATCH", address, body, "Content-Type", "application/offset+octet-stream", "Upload-Offset",
		strconv.Itoa(offset))
}

func offset(s *testServer, address string) int {
	s.T.Helper()
	for range 100 { // until the server has noticed that the connection is closed
		res, _ := tusRequest(s, "alice", "HEAD", address, nil)
		if res.StatusCode == 200 {
			n, err := strconv.Atoi(res.Header.Get("Upload-Offset"))
			if err != nil || res.Header.Get("Cache-Control") != "no-store" {
				s.T.Fatal(res.Header)
			}
			return n
		}
	}
	s.T.Fatal("no offset")
	return 0
}

// An upload can be resumed after its connection broke.
func TestResume(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		content := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
		at := createUpload(s, "Größe 1.txt", len(content))
		if !strings.HasPrefix(at, s.URL+"/api/v1/tus/1/") || !strings.HasSuffix(at, "/Gre-1.txt") {
			t.Error(at)
		}
		for done := 0; done < 600_000; {
			broken := io.MultiReader(strings.NewReader(content[done:done+200_000]), iotest.ErrReader(errors.New("torn")))
			if res, _ := patch(s, "alice", at, done, broken); res != nil {
				t.Fatal("the connection did not break", res.StatusCode)
			}
			now := offset(s, at)
			if now < done {
				t.Fatalf("%d after %d", now, done)
			}
			done = now
		}
		from := offset(s, at)
		if res, body := patch(s, "alice", at, from+1, strings.NewReader("x")); res.StatusCode != 409 ||
			!strings.HasPrefix(body, `{"message":"`) {
			t.Errorf("%d %s", res.StatusCode, body)
		}
		res, body := patch(s, "alice", at, from, strings.NewReader(content[from:]))
		path := "/user_uploads/" + strings.TrimPrefix(at, s.URL+"/api/v1/tus/")
		if res.StatusCode != 200 || body != `{"url":"`+path+`","filename":"Größe 1.txt"}` ||
			res.Header.Get("Upload-Offset") != strconv.Itoa(len(content)) ||
			res.Header.Get("Tus-Resumable") != "1.0.0" || res.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%d %s %v", res.StatusCode, body, res.Header)
		}
		if a := s.get("alice", path); a.Body != content || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%d bytes, %v", len(a.Body), a.Header)
		}
		if n := offset(s, at); n != len(content) {
			t.Error(n)
		}
		if res, body := tusRequest(s, "alice", "DELETE", at, nil); res.StatusCode != 409 {
			t.Errorf("%d %s", res.StatusCode, body)
		}
		s.RunJob("uploads.remove blobs")
		if a := s.get("alice", path); a.Body != content {
			t.Errorf("%d bytes after the parts were removed", len(a.Body))
		}
	})
}

// Two nodes never write to one upload concurrently: the second node rejects requests while the first one receives data,
// and can continue the upload once the client has disconnected from the first.
func TestResumeOnAnotherNode(t *testing.T) {
	s := start(t, "", "")
	there := &testServer{Server: s.Another()}
	const half = 1 << 19
	content := strings.Repeat("0123456789abcdef", 2*half/16)
	at := createUpload(s, "a.txt", len(content))
	path := strings.TrimPrefix(at, s.URL)
	body, client := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		patch(s, "alice", at, 0, body)
	}()
	if _, err := io.WriteString(client, content[:half]); err != nil {
		t.Fatal(err)
	}
	kittest.Await(t, func() bool { // the connection buffers what the server has not read yet
		var locked int
		err := s.App.DB().From(t.Context()).NewRaw("SELECT COUNT(*) FROM resumable_uploads WHERE holder <> ''").
			Scan(t.Context(), &locked)
		return err == nil && locked == 1
	})
	if res, text := patch(there, "alice", path, 0, strings.NewReader(content)); res == nil ||
		res.StatusCode != http.StatusLocked {
		t.Fatalf("during the other node's upload: %v %s", res, text)
	}
	_ = client.CloseWithError(errors.New("torn"))
	<-ended
	done := offset(there, path)
	if done == 0 || done > half {
		t.Errorf("%d of %d bytes were stored", done, half)
	}
	if res, text := patch(there, "alice", path, done, strings.NewReader(content[done:])); res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", res.StatusCode, text)
	}
	file := "/user_uploads/" + strings.TrimPrefix(path, "/api/v1/tus/")
	if a := s.get("alice", file); a.Body != content {
		t.Errorf("%d bytes", len(a.Body))
	}
}

// Small files are sent in one request, empty ones without a body.
func TestCreationWithUpload(t *testing.T) {
	s := start(t, "", "")
	for _, content := range []string{"hello", ""} {
		headers := []string{"Upload-Length", strconv.Itoa(len(content)), "Upload-Metadata", metadata("..", "")}
		var body io.Reader
		if content != "" {
			headers, body = append(headers, "Content-Type", "application/offset+octet-stream"), strings.NewReader(content)
		}
		res, got := tusRequest(s, "alice", "POST", "/api/v1/tus", body, headers...)
		at := res.Header.Get("Location")
		path := "/user_uploads/" + strings.TrimPrefix(at, s.URL+"/api/v1/tus/")
		if res.StatusCode != 200 || got != `{"url":"`+path+`","filename":"uploaded-file"}` {
			t.Fatalf("%d %s", res.StatusCode, got)
		}
		if a := s.get("alice", path); a.Status != 200 || a.Body != content {
			t.Errorf("%d %q", a.Status, a.Body)
		}
	}
}

// Errors are JSON, and their status is never 400.
func TestTusRefusals(t *testing.T) {
	s := start(t, "", "")
	at := createUpload(s, "a.txt", 10)
	octets := []string{"Content-Type", "application/offset+octet-stream"}
	for _, c := range []struct {
		name, who, method, address string
		body                       string
		status                     int
		headers                    []string
	}{
		{"not logged in", "", "POST", "/api/v1/tus", "", 401, []string{"Upload-Length", "5"}},
		{"deferred length", "alice", "POST", "/api/v1/tus", "", 411, []string{"Upload-Defer-Length", "1"}},
		{"too large", "alice", "POST", "/api/v1/tus", "", 413, []string{"Upload-Length", "104857601"}},
		{"no length", "alice", "POST", "/api/v1/tus", "", 422, nil},
		{"bad length", "alice", "POST", "/api/v1/tus", "", 422, []string{"Upload-Length", "-5"}},
		{"other version", "alice", "POST", "/api/v1/tus", "", 412, []string{"Upload-Length", "5", "Tus-Resumable", "0.2.2"}},
		{"unknown", "alice", "PATCH", "/api/v1/tus/1/ff/AAAA/x", "x", 404, append(octets, "Upload-Offset", "0")},
		{"another user's", "bob", "PATCH", at, "x", 404, append(octets, "Upload-Offset", "0")},
		{"another user's", "bob", "DELETE", at, "", 404, nil},
		{"no offset", "alice", "PATCH", at, "x", 422, octets},
		{"no type", "alice", "PATCH", at, "x", 415, []string{"Upload-Offset", "0"}},
		{"wrong type", "alice", "PATCH", at, "x", 415, []string{"Upload-Offset", "0", "Content-Type", "text/plain"}},
		{"wrong type in a POST", "alice", "POST", at, "x", 415,
			[]string{"X-HTTP-Method-Override", "PATCH", "Upload-Offset", "0", "Content-Type", "text/plain"}},
		{"part of a file", "alice", "POST", "/api/v1/tus", "", 422,
			[]string{"Upload-Length", "5", "Upload-Concat", "partial"}},
		{"joined parts", "alice", "POST", "/api/v1/tus", "", 422, []string{"Upload-Concat", "final;" + at}},
		{"wrong offset", "alice", "PATCH", at, "x", 409, append(octets, "Upload-Offset", "1")},
		{"more than announced", "alice", "PATCH", at, "01234567890", 413, append(octets, "Upload-Offset", "0")},
		{"download", "alice", "GET", at, "", 405, nil},
	} {
		var body io.Reader
		if c.body != "" {
			body = strings.NewReader(c.body)
		}
		res, got := tusRequest(s, c.who, c.method, c.address, body, c.headers...)
		if res == nil || res.StatusCode != c.status || !strings.HasPrefix(got, `{"message":"`) ||
			res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v %s, want %d", c.name, res, got, c.status)
		}
	}
	if res, _ := tusRequest(s, "bob", "HEAD", at, nil); res.StatusCode != 404 {
		t.Error(res.StatusCode)
	}
	if offset(s, at) != 0 {
		t.Error("a refused request changed the upload")
	}
	res, _ := tusRequest(s, "", "OPTIONS", "/api/v1/tus", nil)
	if h := res.Header; res.StatusCode >= 300 || h.Get("Tus-Version") != "1.0.0" || h.Get("Tus-Max-Size") != "104857600" ||
		h.Get("Tus-Extension") != "creation,creation-with-upload,termination" {
		t.Errorf("%d %v", res.StatusCode, h)
	}
	if res, _ := tusRequest(s, "alice", "DELETE", at, nil); res.StatusCode != 204 {
		t.Error(res.StatusCode)
	}
	if res, _ := tusRequest(s, "alice", "HEAD", at, nil); res.StatusCode != 404 {
		t.Error(res.StatusCode)
	}
}

// Abandoned uploads expire, and the number of unfinished uploads per user is limited.
func TestResumableExpires(t *testing.T) {
	s := start(t, "", "")
	at := createUpload(s, "a.txt", 10)
	if res, _ := patch(s, "alice", at, 0, strings.NewReader("01234")); res.StatusCode != 204 ||
		res.Header.Get("Upload-Offset") != "5" {
		t.Fatal(res.StatusCode)
	}
	for range 19 {
		createUpload(s, "b.txt", 10)
	}
	res, body := tusRequest(s, "alice", "POST", "/api/v1/tus", nil, "Upload-Length", "10")
	if res.StatusCode != 429 || !strings.Contains(body, "too many unfinished uploads") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	s.Clock.Advance(25 * time.Hour)
	if res, _ := tusRequest(s, "alice", "HEAD", at, nil); res.StatusCode != 404 {
		t.Error(res.StatusCode)
	}
	s.RunJob("uploads.expire resumable uploads")
	createUpload(s, "c.txt", 10)
}
