package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/modules/imports/internal/archive"
)

// file is a file of a test's archive. mode is 0 for a regular one.
type file struct {
	name, content string
	mode          fs.FileMode
}

func zipped(t *testing.T, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, NonUTF8: true}
		h.SetMode(0o600 | f.mode)
		to, err := w.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(to, f.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o600, Typeflag: tar.TypeReg}
		if f.mode&fs.ModeSymlink != 0 {
			h.Typeflag, h.Linkname, h.Size, f.content = tar.TypeSymlink, f.content, 0, ""
		}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = io.WriteString(w, f.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// open writes an archive and opens it.
func open(t *testing.T, name string, content []byte, l archive.Limits) (*archive.Opened, error) {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(dir, name)
	if err := os.WriteFile(at, content, 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := archive.Open(at, filepath.Join(dir, "scratch"), l)
	if err == nil {
		t.Cleanup(func() { _ = o.Close() })
	}
	return o, err
}

func content(t *testing.T, o *archive.Opened, name string) string {
	t.Helper()
	r, err := o.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOpen(t *testing.T) {
	files := []file{{name: "top/a.json", content: "1"}, {name: "top/käse/b.json", content: "22"}}
	back := []file{
		{name: `top\a.json`, content: "1"}, {name: "__MACOSX/x"}, {name: `top\k` + "\x84" + `se\b.json`, content: "22"},
	}
	for name, text := range map[string][]byte{
		"a.zip": zipped(t, files...), "a.tar.gz": tarred(t, files...), "b.zip": zipped(t, back...),
	} {
		o, err := open(t, name, text, archive.Defaults())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := o.Names(); !slices.Equal(got, []string{"a.json", "käse/b.json"}) {
			t.Errorf("%s: %q", name, got)
		}
		if size, ok := o.Size("käse/b.json"); size != 2 || !ok || content(t, o, "käse/b.json") != "22" {
			t.Errorf("%s: %d, %v", name, size, ok)
		}
		if _, err := o.Open("c.json"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"data", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"import.jsonl", "data/x.png", "other/y", "z.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o, err := archive.Open(filepath.Join(dir, "import.jsonl"), "", archive.Defaults())
	if err != nil || !slices.Equal(o.Names(), []string{"data/x.png", "import.jsonl"}) {
		t.Fatalf("got %v, %v", o, err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

// Hostile and damaged archives are refused with a sentence.
func TestRefused(t *testing.T) {
	good := []file{{name: "a", content: strings.Repeat("0123456789", 10)}, {name: "b", content: "x"}}
	small := archive.Limits{Files: 2, Expansion: 200, Bytes: 1000}
	for name, c := range map[string]struct {
		files  []file
		limits archive.Limits
		want   string
	}{
		"parent": {[]file{{name: "../a"}}, archive.Defaults(), "leads out of it"},
		"inner":  {[]file{{name: "a/../../b"}}, archive.Defaults(), "leads out of it"},
		"root":   {[]file{{name: "/etc/passwd"}}, archive.Defaults(), "leads out of it"},
		"drive":  {[]file{{name: `C:\x`}}, archive.Defaults(), "leads out of it"},
		"symlink": {[]file{{name: "a", content: "/etc/passwd", mode: fs.ModeSymlink}}, archive.Defaults(),
			"not a file|is a link"},
		"twice": {[]file{{name: "a"}, {name: "./a"}}, archive.Defaults(), "twice"},
		"many":  {append(good, file{name: "c"}), small, "more than 2 files"},
		"large": {[]file{{name: "a", content: strings.Repeat("x", 1001)}}, small, "larger than"},
		"bomb": {[]file{{name: "a", content: strings.Repeat("\x00", 8<<20)}}, archive.Defaults(),
			"compressed more|larger than"},
		"no files": {nil, archive.Defaults(), "empty"},
	} {
		for kind, text := range map[string][]byte{"x.zip": zipped(t, c.files...), "x.tar.gz": tarred(t, c.files...)} {
			_, err := open(t, kind, text, c.limits)
			if !importing.IsUnusable(err) || !oneOf(err.Error(), c.want) {
				t.Errorf("%s in %s: %v", name, kind, err)
			}
		}
	}
	for kind, text := range map[string][]byte{"x.zip": zipped(t, good...), "x.tar.gz": tarred(t, good...)} {
		if _, err := open(t, kind, text[:len(text)-20], archive.Defaults()); !importing.IsUnusable(err) {
			t.Errorf("truncated %s: %v", kind, err)
		}
	}
	if _, err := open(t, "x.txt", []byte("hello"), archive.Defaults()); !importing.IsUnusable(err) {
		t.Errorf("a text: %v", err)
	}
}

func oneOf(text, wants string) bool {
	return slices.ContainsFunc(strings.Split(wants, "|"), func(w string) bool { return strings.Contains(text, w) })
}

// A folder with a link is refused, so that nothing outside of it is read.
func TestFolderWithLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "a")); err != nil {
		t.Skip(err)
	}
	if _, err := archive.Open(dir, "", archive.Defaults()); !importing.IsUnusable(err) {
		t.Errorf("got %v", err)
	}
}

// FuzzZip checks that no ZIP file causes a panic or more output than it claims.
func FuzzZip(f *testing.F) {
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, text []byte) {
		limits := archive.Limits{Files: 10, Expansion: 200, Bytes: 1 << 20}
		o, err := open(t, "x.zip", append([]byte("PK\x03\x04"), text...), limits)
		if err != nil {
			return
		}
		for _, name := range o.Names() {
			if r, err := o.Open(name); err == nil {
				_, _ = io.Copy(io.Discard, r)
				_ = r.Close()
			}
		}
	})
}
