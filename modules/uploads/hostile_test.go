package uploads_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Images that need too much memory or time to decode are stored like other files, without thumbnails. Excessive
// metadata is ignored.
func TestHostileImages(t *testing.T) {
	s := start(t, "", "")
	whole := asPNG(t, photo(30, 20))
	head, tail := whole[:8], whole[33:] // around the chunk IHDR
	size := func(w, h uint32) []byte {
		sides := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
		return chunk("IHDR", append(sides, whole[24:29]...))
	}
	zeros := compressedZeros(32 << 20)
	exif := chunk("zTXt", append([]byte("Raw profile type exif\x00\x00"), zeros...))
	for name, c := range map[string]struct {
		kind    string
		content []byte
		has     bool
	}{
		"64000.png":    {"image/png", slices.Concat(head, size(64000, 64000), tail), false},
		"wide.png":     {"image/png", slices.Concat(head, size(1<<31-1, 1), tail), false},
		"pixels.png":   {"image/png", slices.Concat(head, size(30, 20), chunk("IDAT", zeros), chunk("IEND", nil)), false},
		"text.png":     {"image/png", slices.Concat(head, size(30, 20), exif, tail), true},
		"page.gif":     {"image/gif", []byte("GIF89a/*<svg/onload=alert(1)>*/=1;"), false},
		"page.png.jpg": {"image/jpeg", []byte("<html><script>alert(1)</script>"), false},
		"both.png":     {"image/png", append(slices.Clone(whole), "<script>alert(1)</script>"...), true},
	} {
		path := uploadImage(s, name, c.kind, c.content)
		s.RunJob("uploads.thumbnails")
		hasThumbnail(s, "alice", path).Is(200, fmt.Sprintf(`{"result":"success","msg":"","has_thumbnail":%v}`, c.has))
		a := s.get("alice", thumbnail(path, "840x560.webp"))
		if (a.Status == 200) != c.has || strings.Contains(a.Body, "script") {
			t.Errorf("%s: %d", name, a.Status)
		}
		if a := s.get("alice", path); a.Status != 200 || a.Body != string(c.content) ||
			a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %d bytes", name, a.Status, len(a.Body))
		}
	}
}

func chunk(kind string, body []byte) []byte {
	all := append([]byte(kind), body...)
	return binary.BigEndian.AppendUint32(slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(body))), all),
		crc32.ChecksumIEEE(all))
}

// compressedZeros returns n zeros, compressed.
func compressedZeros(n int) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(make([]byte, n))
	_ = w.Close()
	return b.Bytes()
}

// Names in the metadata of resumable uploads are cleaned like those of forms.
func TestTusNames(t *testing.T) {
	s := start(t, "", "")
	for name, want := range map[string]string{
		"../../etc/passwd": "../../etc/passwd", "..": "uploaded-file", "a\x00\r\nX-Evil: 1.txt": "aX-Evil: 1.txt",
		"":           "uploaded-file",
		"%2e%2e%2fx": "%2e%2e%2fx", "photo.png.html": "photo.png.html",
	} {
		at := createUpload(s, name, 1)
		_, body := patch(s, "alice", at, 0, strings.NewReader("x"))
		path := "/user_uploads/" + strings.TrimPrefix(at, s.URL+"/api/v1/tus/")
		if !strings.HasSuffix(body, fmt.Sprintf(`"filename":%q}`, want)) || strings.Contains(at, "/../") {
			t.Errorf("%q: %s at %s", name, body, at)
		}
		if a := s.get("alice", path); a.Status != 200 || a.Body != "x" || a.Header.Get("X-Evil") != "" {
			t.Errorf("%q: %d %v", name, a.Status, a.Header)
		}
	}
}

// The length of a resumable upload cannot be changed. While the store fails, nothing is recorded, and the client gets
// an error after which it retries.
func TestTusLengthAndOutage(t *testing.T) {
	s := start(t, "", "")
	at := createUpload(s, "a.txt", 10)
	for _, length := range []string{"5", "20"} {
		res, body := tusRequest(s, "alice", "PATCH", at, strings.NewReader("01234"), "Upload-Offset", "0", "Upload-Length",
			length, "Content-Type", "application/offset+octet-stream")
		if res.StatusCode != 422 || !strings.Contains(body, "can't be changed") {
			t.Errorf("length %s: %d %s", length, res.StatusCode, body)
		}
	}
	s.blobs.full.Store(true)
	res, body := patch(s, "alice", at, 0, strings.NewReader("01234"))
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("full: %d %s", res.StatusCode, body)
	}
	s.blobs.full.Store(false)
	if res, _ := tusRequest(s, "alice", "HEAD", at, nil); res.Header.Get("Upload-Offset") != "0" ||
		res.Header.Get("Upload-Length") != strconv.Itoa(10) {
		t.Errorf("%v", res.Header)
	}
	if n := s.blobs.count.Load(); n != 0 {
		t.Errorf("%d blobs are left", n)
	}
	if res, body := patch(s, "alice", at, 0, strings.NewReader("0123456789")); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// Files with the same name are separate.
func TestSameName(t *testing.T) {
	s := start(t, "", "")
	first, second := s.file("alice", "a.txt", "1"), s.file("alice", "a.txt", "2")
	if a, b := s.get("alice", first), s.get("alice", second); first == second || a.Body != "1" || b.Body != "2" {
		t.Errorf("%s: %s; %s: %s", first, a.Body, second, b.Body)
	}
}
