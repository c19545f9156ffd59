package uploads_test

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// request requests a file. headers alternates names and values.
func (w *testServer) request(who, call string, headers ...string) *kittest.Response {
	w.T.Helper()
	req := w.As(who).Under("").Request(call, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := w.Client.Do(req)
	if err != nil {
		w.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var b strings.Builder
	if err := res.Write(&b); err != nil {
		w.T.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "\r\n\r\n")
	return &kittest.Response{T: w.T, Call: call, Status: res.StatusCode, Header: res.Header, Body: body}
}

func TestRanges(t *testing.T) {
	w := start(t, "", "")
	f := w.file("alice", "a.bin", "0123456789")
	whole := w.request("alice", "GET "+f)
	tag, modified := whole.Header.Get("ETag"), whole.Header.Get("Last-Modified")
	if whole.Body != "0123456789" || tag == "" || modified == "" || whole.Header.Get("Accept-Ranges") != "bytes" {
		t.Fatal(whole)
	}
	for _, c := range []struct {
		method  string
		headers []string
		status  int
		body    string
		ranged  string
	}{
		{"GET", []string{"Range", "bytes=2-4"}, 206, "234", "bytes 2-4/10"},
		{"GET", []string{"Range", "bytes=8-"}, 206, "89", "bytes 8-9/10"},
		{"GET", []string{"Range", "bytes=-3"}, 206, "789", "bytes 7-9/10"},
		{"GET", []string{"Range", "bytes=-99"}, 200, "0123456789", ""},
		{"GET", []string{"Range", "bytes=0-99"}, 200, "0123456789", ""},
		{"GET", []string{"Range", "bytes=1-2,4-5"}, 200, "0123456789", ""},
		{"GET", []string{"Range", "bytes=4-2"}, 200, "0123456789", ""},
		{"GET", []string{"Range", "lines=1-2"}, 200, "0123456789", ""},
		{"GET", []string{"Range", "bytes=10-"}, 416, "*", "bytes */10"},
		{"GET", []string{"Range", "bytes=-0"}, 416, "*", "bytes */10"},
		{"GET", []string{"Range", "bytes=2-4", "If-Range", tag}, 206, "234", "bytes 2-4/10"},
		{"GET", []string{"Range", "bytes=2-4", "If-Range", modified}, 206, "234", "bytes 2-4/10"},
		{"GET", []string{"Range", "bytes=2-4", "If-Range", `"other"`}, 200, "0123456789", ""},
		{"GET", []string{"If-None-Match", tag}, 304, "", ""},
		{"GET", []string{"If-None-Match", `"x", W/` + tag}, 304, "", ""},
		{"GET", []string{"If-None-Match", `"x"`, "If-Modified-Since", modified}, 200, "0123456789", ""},
		{"GET", []string{"If-Modified-Since", modified}, 304, "", ""},
		{"GET", []string{"If-Match", `"x"`}, 412, "*", ""},
		{"HEAD", nil, 200, "", ""},
		{"HEAD", []string{"Range", "bytes=2-4"}, 206, "", "bytes 2-4/10"},
	} {
		a := w.request("alice", c.method+" "+f, c.headers...)
		if a.Status != c.status || c.body != "*" && a.Body != c.body || a.Header.Get("Content-Range") != c.ranged {
			t.Errorf("%s %q: %d %q %q", c.method, c.headers, a.Status, a.Body, a.Header.Get("Content-Range"))
		}
		if cache := a.Header.Get("Cache-Control"); (cache == "no-store") != (c.status > 400) {
			t.Errorf("%s %q: status %d, Cache-Control %q", c.method, c.headers, a.Status, cache)
		}
	}
	if a := w.request("alice", "HEAD "+f); a.Header.Get("Content-Length") != "10" {
		t.Error(a.Header)
	}
	// A conditional request reveals nothing to users who cannot read the file.
	for _, h := range [][]string{{"Range", "bytes=10-"}, {"If-None-Match", tag}, {"If-Match", `"x"`}} {
		w.request("bob", "GET "+f, h...).Error(404, "NOT_FOUND", "No such file")
	}
}

// Content that a browser could execute is never shown inline.
func TestHeaders(t *testing.T) {
	w := start(t, "", "")
	for _, c := range []struct{ name, declared, kind, how string }{
		{"a.png", "image/png", "image/png", "inline"},
		{"a.txt", "text/plain", "text/plain; charset=utf-8", "inline"},
		{"a.txt", "text/plain; charset=iso-8859-1", "text/plain; charset=iso-8859-1", "inline"},
		{"a.mp4", "video/mp4", "video/mp4", "inline"},
		{"a.pdf", "application/pdf", "application/pdf", "inline"},
		{"a.html", "text/html", "text/html; charset=utf-8", "attachment"},
		{"a.png", "text/html", "text/html; charset=utf-8", "attachment"},
		{"a.svg", "image/svg+xml", "image/svg+xml", "attachment"},
		{"a.xml", "application/xhtml+xml", "application/xhtml+xml", "attachment"},
		{"a.png.html", "image/png, text/html", "text/html; charset=utf-8", "attachment"},
		{"a.js", "text/javascript", "text/javascript; charset=utf-8", "attachment"},
		{"a.jpeg", "", "image/jpeg", "inline"},
		{"a.unknown", "", "application/octet-stream", "attachment"},
		{"a", "nonsense", "application/octet-stream", "attachment"},
		{"a.txt", "text/plain\r\nX-Evil: 1", "text/plain; charset=utf-8", "inline"},
	} {
		f := w.post("alice", part{name: c.name, kind: c.declared, content: "<script>alert(1)</script>"}).OK().String("url")
		for _, at := range []string{f, strings.Replace(f, "/user_uploads/", "/user_uploads/download/", 1)} {
			a := w.request("alice", "GET "+at)
			how := c.how
			if at != f {
				how = "attachment"
			}
			got, _, _ := strings.Cut(a.Header.Get("Content-Disposition"), ";")
			if a.Status != 200 || a.Header.Get("Content-Type") != c.kind || got != how || a.Header.Get("X-Evil") != "" {
				t.Errorf("%s of type %q: %d %q %s", c.name, c.declared, a.Status, a.Header.Get("Content-Type"), got)
			}
			policy := a.Header.Get("Content-Security-Policy")
			if a.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(policy, "default-src 'none'") ||
				!strings.HasSuffix(policy, "; sandbox") && (c.kind != "application/pdf" || how != "inline") {
				t.Errorf("%s: %v", c.name, a.Header)
			}
			if c := a.Header.Values("Cache-Control"); len(c) != 1 || !strings.HasPrefix(c[0], "private, immutable") {
				t.Error(c)
			}
		}
	}
}

func TestCharset(t *testing.T) {
	w := start(t, "", "")
	for content, want := range map[string]string{
		"plain": "utf-8", "": "utf-8", strings.Repeat("ä€", 50_000): "utf-8", "\xff\xfea\x00": "utf-16",
		"caf\xe9": "windows-1252", "cut \xe2\x82": "windows-1252",
	} {
		f := w.post("alice", part{name: "a.txt", kind: "text/plain", content: content}).OK().String("url")
		if a := w.get("alice", f); a.Header.Get("Content-Type") != "text/plain; charset="+want || a.Body != content {
			t.Errorf("%.20q: %s", content, a.Header.Get("Content-Type"))
		}
	}
}

func TestTemporary(t *testing.T) {
	w := start(t, "", "")
	f := w.file("alice", "a b.txt", "abc")
	w.As("bob").Do("GET "+f).Error(404, "NOT_FOUND", "No such file")
	w.As("bob").Do("GET "+f+"x").Error(404, "NOT_FOUND", "No such file")
	w.As("alice").Do("GET /user_uploads/1/x").Error(404, "NOT_FOUND", "No such file")
	at := w.As("alice").Do("GET " + f).OK().String("url")
	if !strings.HasPrefix(at, "/user_uploads/temporary/") || !strings.HasSuffix(at, "/a-b.txt") {
		t.Fatal(at)
	}
	read := func(path string) *kittest.Response { return w.Anonymous().Under("").Send("GET "+path, "", nil) }
	if a := read(at); a.Status != 200 || a.Body != "abc" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	for _, bad := range []string{
		strings.Replace(at, "a-b.txt", "other.txt", 1), strings.Replace(at, "temporary/", "temporary/1", 1),
		"/user_uploads/temporary/x/a-b.txt",
		"/user_uploads/temporary/zzzzzzzz.1-" + strings.Repeat("A", 43) + "/a-b.txt",
	} {
		read(bad).Error(400, "BAD_REQUEST", "Invalid token")
	}
	w.Clock.Advance(59 * time.Second)
	if a := read(at); a.Status != http.StatusOK {
		t.Error(a.Status)
	}
	w.Clock.Advance(time.Second)
	read(at).Error(400, "BAD_REQUEST", "Invalid token")
	at = w.As("alice").Do("GET " + f).OK().String("url")
	w.As("alice").Do("DELETE /attachments/1").OK()
	read(at).Error(400, "BAD_REQUEST", "Invalid token")
}

// A user who follows a link in a browser gets an error page, which is the same for missing and hidden files. Programs
// get JSON.
func TestRefusalPage(t *testing.T) {
	w := start(t, "", "")
	f := w.file("alice", "a.txt", "abc")
	html := []string{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}
	for _, sec := range [][]string{{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}} {
		browser := slices.Concat(sec, html)
		for _, at := range []string{"", "download/", "thumbnail/"} {
			path := strings.Replace(f, "/user_uploads/", "/user_uploads/"+at, 1)
			hidden := w.request("bob", "GET "+path, browser...)
			missing := w.request("bob", "GET "+path+"x", browser...)
			same := maps.EqualFunc(testrun.Comparable(hidden.Header), testrun.Comparable(missing.Header), slices.Equal)
			if hidden.Status != 404 || hidden.Body != missing.Body || !same {
				t.Errorf("%d %s %v, and for a missing file %d %s %v",
					hidden.Status, hidden.Body, hidden.Header, missing.Status, missing.Body, missing.Header)
			}
			h := hidden.Header
			if h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Cache-Control") != "no-store" ||
				!strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-") ||
				!strings.Contains(h.Get("Vary"), "Sec-Fetch-Mode") || !strings.Contains(hidden.Body, "<h1>Not found</h1>") {
				t.Error(h, hidden.Body)
			}
		}
		if a := w.request("alice", "GET "+f, browser...); a.Status != 200 || a.Body != "abc" {
			t.Error(a.Status, a.Body)
		}
		a := w.request("bob", "HEAD "+f, browser...)
		if a.Status != 404 || a.Body != "" || a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Error(a.Status, a.Header)
		}
		w.blobs.down.Store(true)
		a = w.request("alice", "GET "+f, browser...)
		if a.Status != 503 || a.Header.Get("Retry-After") == "" ||
			!strings.Contains(a.Body, "<h1>Please try again later</h1>") {
			t.Error(a.Status, a.Header, a.Body)
		}
		w.blobs.down.Store(false)
	}
	german := []string{"Accept", "text/html", "Sec-Fetch-Mode", "navigate", "Accept-Language", "de-AT"}
	for path, want := range map[string]string{
		"/user_uploads/temporary/x/a.txt": "Ungültiger Link.",
		f + "x":                           "Nicht gefunden",
	} {
		if a := w.request("bob", "GET "+path, german...); !strings.Contains(a.Body, want) {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	for _, program := range [][]string{
		nil, html, {"Sec-Fetch-Mode", "navigate", "Accept", "*/*"},
		{"Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Accept", "text/html"},
	} {
		w.request("bob", "GET "+f, program...).Error(404, "NOT_FOUND", "No such file")
	}
	a := w.As("bob").Request("GET "+f, nil)
	a.Header.Set("Sec-Fetch-Mode", "navigate")
	a.Header.Set("Accept", "text/html")
	res, err := w.Client.Do(a)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.Header.Get("Content-Type") == "text/html; charset=utf-8" {
		t.Error("an HTML page under /api/v1")
	}
}

// The size limit for files does not apply to parameters, which are kept in memory.
func TestLargeParameters(t *testing.T) {
	w := start(t, "", "")
	large := strings.Repeat("x", 300<<10)
	var b strings.Builder
	for range 2 {
		b.WriteString("--" + boundary + "\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n" + large[:200<<10] +
			"\r\n")
	}
	for kind, body := range map[string]string{
		"multipart/form-data; boundary=" + boundary: b.String() + form(part{name: "a", content: "1"}),
		"application/x-www-form-urlencoded":         "note=" + large,
		"application/json":                          `{"note":"` + large + `"}`,
		"multipart/form-data; boundary=limit; x=1": "--" + boundary + "\r\nX-Long: " + large + "\r\n" +
			form(part{name: "a", content: "1"})[len(boundary)+4:],
	} {
		// The second reader hides its length.
		for _, r := range []io.Reader{strings.NewReader(body), io.MultiReader(strings.NewReader(body))} {
			w.As("alice").Send("POST /user_uploads", kind, r).Error(400, "BAD_REQUEST", "parameters are too large")
		}
	}
	w.expectNoFiles("large parameters")
}
