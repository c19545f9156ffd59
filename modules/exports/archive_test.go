package exports_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// contents is the decoded content of an archive.
type contents struct {
	text  string                      // all text in the archive
	lines map[string][]map[string]any // by table
	files map[string][]byte           // by name
	about map[string]any              // manifest.json
}

// unpack reads an archive using only the standard library.
func unpack(t *testing.T, content []byte) contents {
	t.Helper()
	u := contents{lines: map[string][]map[string]any{}, files: map[string][]byte{}}
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := u.files[h.Name]; twice {
			t.Errorf("%s is in the archive twice", h.Name)
		}
		u.files[h.Name] = body
		all.WriteString(h.Name + "\n" + string(body))
		table, _, _ := strings.Cut(h.Name, "/")
		for line := range strings.Lines(string(body)) {
			if !strings.HasSuffix(h.Name, ".jsonl") {
				break
			}
			var v map[string]any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatalf("%s: %v", h.Name, err)
			}
			u.lines[table] = append(u.lines[table], v)
		}
	}
	if u.text = all.String(); json.Unmarshal(u.files["manifest.json"], &u.about) != nil {
		t.Fatal("no manifest")
	}
	for table, n := range u.about["lines"].(map[string]any) {
		if float64(len(u.lines[table])) != n {
			t.Errorf("%d lines of %s, but the manifest has %v", len(u.lines[table]), table, n)
		}
	}
	return u
}

// ids indexes the lines of a table by the value of a key.
func (u contents) ids(table, key string) map[float64]map[string]any {
	out := map[float64]map[string]any{}
	for _, line := range u.lines[table] {
		out[line[key].(float64)] = line
	}
	return out
}

// export starts an export, waits for it, and decodes the archive.
func export(t *testing.T, s *kittest.Server, by *kittest.Client, params ...string) contents {
	t.Helper()
	id := by.Do("POST /export/realm", params...).OK().Int("id")
	s.RunJob("exports.write")
	return unpack(t, download(t, s, by, id))
}

// download returns the archive of an export.
func download(t *testing.T, s *kittest.Server, by *kittest.Client, id int64) []byte {
	t.Helper()
	var list struct {
		Exports []struct {
			ID  int64
			URL *string `json:"export_url"`
		}
	}
	if err := json.Unmarshal([]byte(by.Do("GET /export/realm").OK().Body), &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Exports {
		if e.ID == id && e.URL != nil {
			_, path, _ := strings.Cut(*e.URL, "/exports/")
			a := by.Under("").Do("GET /exports/" + path)
			if a.Status != 200 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			return []byte(a.Body)
		}
	}
	t.Fatalf("no archive of export %d: %+v", id, list)
	return nil
}
