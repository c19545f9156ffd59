package uploads_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// part is a part of a multipart form.
type part struct{ name, kind, content string }

const boundary = "limit"

func form(parts ...part) string {
	var b strings.Builder
	for i, p := range parts {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"f%d\"; filename=\"%s\"\r\n", boundary, i, p.name)
		if p.kind != "" {
			fmt.Fprintf(&b, "Content-Type: %s\r\n", p.kind)
		}
		fmt.Fprintf(&b, "\r\n%s\r\n", p.content)
	}
	return b.String() + "--" + boundary + "--\r\n"
}

// post uploads a form with the given files.
func (w *testServer) post(who string, parts ...part) *kittest.Response {
	w.T.Helper()
	return w.As(who).Send("POST /user_uploads", "multipart/form-data; boundary="+boundary,
		strings.NewReader(form(parts...)))
}

// expectNoFiles checks that there are no blobs, attachments and events.
func (w *testServer) expectNoFiles(what string) {
	w.T.Helper()
	w.NoEvents()
	if n := w.blobs.count.Load(); n != 0 {
		w.T.Errorf("%s: %d blobs are left", what, n)
	}
	w.As("alice").Do("GET /attachments").Is(200, `{"result":"success","msg":"","attachments":[],"upload_space_used":0}`)
}

func TestRefused(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "modules: {uploads: {max_file_mib: 9}}")
		w.Skip()
		large := strings.Repeat("x", 9<<20)
		w.post("alice", part{name: "a", content: large + "x"}).Error(400, "BAD_REQUEST",
			"larger than the allowed limit of 9 MiB")
		w.expectNoFiles("too large")
		w.post("alice", part{name: "a", content: "1"}, part{name: "b", content: "2"}).Error(400, "BAD_REQUEST",
			"exactly one file")
		w.expectNoFiles("two files")
		w.post("alice", part{name: "a", content: "1"}, part{name: "a", content: "1"}).Error(400, "BAD_REQUEST",
			"exactly one file")
		w.expectNoFiles("a file twice")
		w.post("alice").Error(400, "BAD_REQUEST", "You must specify a file to upload")
		w.As("alice").Do("POST /user_uploads", "file", "text").Error(400, "BAD_REQUEST", "You must specify a file to upload")
		w.As("alice").Send("POST /user_uploads", "multipart/form-data", strings.NewReader(form(part{name: "a"}))).Error(400,
			"BAD_REQUEST", "")
		whole := form(part{name: "a", content: "content"})
		for _, cut := range []int{20, 60, len(whole) - 20, len(whole) - 4} {
			w.As("alice").Send("POST /user_uploads", "multipart/form-data; boundary="+boundary,
				strings.NewReader(whole[:cut])).Error(400, "BAD_REQUEST", "")
			w.expectNoFiles(fmt.Sprint("cut after ", cut))
		}
		w.Anonymous().Send("POST /user_uploads", "multipart/form-data; boundary="+boundary,
			strings.NewReader(whole)).Error(401, "UNAUTHORIZED", "")
		w.expectNoFiles("not logged in")
		w.disconnect(whole[:len(whole)-15])
		w.expectNoFiles("the client disconnected")
		w.post("alice", part{name: "a", content: large}).OK()
		w.post("alice", part{name: "empty"}).OK()
	})
}

// disconnect sends the beginning of a form and closes the connection.
func (w *testServer) disconnect(some string) {
	w.T.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
	if err != nil {
		w.T.Fatal(err)
	}
	req := w.As("alice").Request("POST /user_uploads", nil)
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /api/v1/user_uploads HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: "+
		"multipart/form-data; boundary=%s\r\nContent-Length: 9999999\r\n\r\n%s",
		req.Host, req.Header.Get("Authorization"), boundary, some)
	if _, err := c.Write(b.Bytes()); err != nil {
		w.T.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		w.T.Fatal(err)
	}
	_, _ = io.ReadAll(c) // until the server closes the connection
	_ = c.Close()
}

func TestNames(t *testing.T) {
	w := start(t, "", "")
	for name, want := range map[string][2]string{
		"../../etc/passwd":                 {"passwd", "passwd"},
		"..%2f..%2fetc%2fpasswd":           {"../../etc/passwd", "....etcpasswd"},
		"..":                               {"uploaded-file", "uploaded-file"},
		"%00%0d%0aX-Evil: 1.txt":           {"X-Evil: 1.txt", "X-Evil-1.txt"},
		"a\tb.txt":                         {"ab.txt", "ab.txt"},
		"Ärger  -  ﬁnal.TXT":               {"Ärger  -  ﬁnal.TXT", "Ärger-final.TXT"},
		"<script>.html":                    {"<script>.html", "script.html"},
		"\u202egpj.exe\u2028":              {"gpj.exe", "gpj.exe"},
		"photo.png.html":                   {"photo.png.html", "photo.png.html"},
		"?#%25":                            {"?#%", "uploaded-file"},
		"日本.png":                           {"日本.png", "日本.png"},
		strings.Repeat("ä", 300) + ".jpeg": {strings.Repeat("ä", 255), strings.Repeat("ä", 127)},
	} {
		a := w.post("alice", part{name: name, content: "x"}).OK()
		path := a.String("url")
		if a.String("filename") != want[0] || !strings.HasSuffix(path, "/"+want[1]) {
			t.Errorf("%q: %q at %q", name, a.String("filename"), path)
		}
		if got := w.get("alice", (&url.URL{Path: path}).EscapedPath()); got.Status != 200 || got.Header.Get("X-Evil") != "" {
			t.Errorf("%q: %d", name, got.Status)
		}
	}
	for _, path := range []string{"/user_uploads/1/", "/user_uploads/", "/user_uploads/1/../1/x",
		"/user_uploads/1/%2e%2e/x", "/user_uploads/1/a%00b", "/user_uploads/2/ff/a/b"} {
		if a := w.get("alice", path); a.Status != 404 {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}

func TestQuota(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		w.Skip()
		one := 1
		set := func(n *int) {
			if err := w.settings.Set(t.Context(), w.Realm, "upload_quota_mib", n); err != nil {
				t.Fatal(err)
			}
		}
		set(&one)
		w.Events(`realm/update_dict everyone {"property":"default","data":{"upload_quota_mib":1}}`)
		if n := w.As("alice").Do("POST /register", "fetch_event_types",
			`["realm"]`).OK().Int("realm_upload_quota_mib"); n != 1 {
			t.Error(n)
		}
		half := strings.Repeat("x", 512<<10)
		w.exempt("alice", "bob")
		w.post("alice", part{name: "a", content: half}).OK()
		w.Skip()
		w.post("bob", part{name: "b", content: half + "x"}).Error(400, "REALM_UPLOAD_QUOTA", "Upload would exceed")
		w.NoEvents()
		if w.blobs.count.Load() != 1 {
			t.Error("a refused file left a blob")
		}
		w.post("bob", part{name: "b", content: half}).OK() // exactly full
		w.post("alice", part{name: "c", content: "x"}).Error(400, "REALM_UPLOAD_QUOTA", "")
		w.As("alice").Do("DELETE /attachments/1").OK()
		w.post("alice", part{name: "c", content: "x"}).OK()
		set(nil)
		w.post("alice", part{name: "d", content: half + half}).OK()
		if err := w.settings.Set(t.Context(), w.Realm, "upload_quota_mib", func() *int { n := -1; return &n }()); err == nil {
			t.Error("a negative quota")
		}
	})
}

// A member, with all of the member's bots and unfinished uploads, can use 40 % of the quota. The last tenth is kept for
// owners.
func TestSharesOfTheQuota(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		w.setQuota(1)
		tenth := strings.Repeat("x", 1<<20/10)
		post := func(who string, n int) *kittest.Response {
			return w.post(who, part{name: "x", content: strings.Repeat(tenth, n)})
		}
		const share = "your share of your organization's upload quota"
		post("alice", 2).OK()
		post("bot", 1).OK() // alice's
		createUpload(w, "x", len(tenth))
		for _, who := range []string{"alice", "bot"} {
			post(who, 1).Error(400, "REALM_UPLOAD_QUOTA", share)
			res, body := tusRequest(w, who, "POST", "/api/v1/tus", nil, "Upload-Length", "1000")
			if res.StatusCode != 413 || !strings.Contains(body, share) {
				t.Errorf("%d %s", res.StatusCode, body)
			}
		}
		post("bob", 4).OK()
		post("mona", 1).Error(400, "REALM_UPLOAD_QUOTA", "Upload would exceed your organization's")
		post("adam", 1).OK()
		post("adam", 1).Error(400, "REALM_UPLOAD_QUOTA", "Upload would exceed your organization's")
		post("olga", 1).OK()
	})
}

// If the store fails, blobs that must be removed from it are removed later.
func TestStoreFails(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		w.Skip()
		for _, broken := range []interface{ Store(bool) }{&w.blobs.down, &w.blobs.full} {
			broken.Store(true)
			a := w.post("alice", part{name: "a", content: "content"})
			if a.Error(503, "SERVICE_UNAVAILABLE", "try again"); a.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			broken.Store(false)
			w.expectNoFiles("a store that fails")
		}
		f := w.file("alice", "a.txt", "abc")
		w.blobs.down.Store(true)
		if a := w.get("alice", f); a.Status != 503 ||
			a.Header.Get("Cache-Control") == "private, immutable, max-age=31536000" {
			t.Errorf("%d %v", a.Status, a.Header)
		}
		w.As("alice").Do("DELETE /attachments/1").OK()
		w.checkReaders(f)
		w.blobs.down.Store(false)
		if w.blobs.count.Load() != 1 {
			t.Error("an unreachable file was forgotten")
		}
		w.RunJob("uploads.remove blobs")
		if w.blobs.count.Load() != 0 {
			t.Error("the data is still there")
		}
	})
}
