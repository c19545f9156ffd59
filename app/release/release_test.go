package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s differs (%v): run go test . -update in app/release; got\n%s", path, err, got)
	}
}

// sample returns a release with a small program in place of the server.
func sample(t *testing.T) (release, binary, map[string][]byte) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r := release{root: root, version: "1.2.3", commit: strings.Repeat("c", 40), out: t.TempDir(),
		time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), platforms: platforms}
	b := binary{platforms[0], filepath.Join(t.TempDir(), "stoa")}
	if err := os.WriteFile(b.path, []byte("#!/bin/sh\necho stoa \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return r, b, map[string][]byte{
		"THIRD_PARTY_LICENSES.txt": []byte("licenses\n"), "man/stoa.1": []byte(".TH STOA 1\n"),
		"completions/stoa.bash": []byte("complete\n"), "completions/_stoa": []byte("#compdef stoa\n"),
		"completions/stoa.fish": []byte("complete\n"),
	}
}

// listing returns one line for each entry of a tar archive.
func listing(t *testing.T, data []byte) string {
	t.Helper()
	var b strings.Builder
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %d/%d %s\n", h.FileInfo().Mode(), h.Uid, h.Gid, h.Name)
	}
}

func unzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestArchives(t *testing.T) {
	r, b, generated := sample(t)
	written := func(b binary, name string) []byte {
		t.Helper()
		if err := r.archive(b, generated); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first := written(b, "stoa_1.2.3_linux_amd64.tar.gz")
	// Of the documents and sample configurations, any number may be there.
	documents := regexp.MustCompile(`(?m)^.*/configs/[^/]*\.(md|yaml)\n`)
	golden(t, "archive.txt", documents.ReplaceAllString(listing(t, unzipped(t, first)), ""))
	if !bytes.Equal(first, written(b, "stoa_1.2.3_linux_amd64.tar.gz")) {
		t.Error("a second run wrote other bytes")
	}
	win := binary{platform{os: "windows", arch: "amd64"}, b.path}
	data := written(win, "stoa_1.2.3_windows_amd64.zip")
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := z.Open("stoa_1.2.3_windows_amd64/stoa.exe"); err != nil {
		t.Error(err)
	} else {
		_ = f.Close()
	}
	if err := r.sums(); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	if err != nil || strings.Count(string(sums), "\n") != 2 {
		t.Errorf("%v, sums:\n%s", err, sums)
	}
}

func TestChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "CHANGELOG.md")
	text := "# Changelog\n\n## Unreleased\n\n- new\n\n## [1.1.0] - 2026-02-03\n\n### Added\n\n- a\n\n## 1.0.0\n\n- b\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := changesOf(path, "1.1.0"); got != "### Added\n\n- a\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for version, want := range map[string]string{"1.0.0": "has no date", "2.0.0": "has no section"} {
		if _, err := changesOf(path, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", version, err, want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "without a v", "1.2": "semantic", "": "semantic"} {
		if _, err := open(t.Context(), "../..", version, "", true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", version, err, want)
		}
	}
	if _, err := open(t.Context(), "../..", "1.2.3", "plan9/mips", true); err == nil {
		t.Error("no error for an unknown platform")
	}
}

// TestParts checks that everything that the server contains has a license, and that the bill of materials lists it.
func TestParts(t *testing.T) {
	r, _, _ := sample(t)
	r.platforms = platforms[:1]
	all, err := r.goParts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own, err := r.ownParts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, own...)
	text := string(licensesText(all))
	for _, want := range []string{
		"std 1.", "modernc.org/sqlite v", "github.com/gen2brain/heic v", "Copyright (c) 2016, Alliance for Open Media",
		"adapters/katex/katex\n", "BSD-2-Clause",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the licenses lack %q", want)
		}
	}
	for _, p := range all {
		if err := p.check(); err != nil {
			t.Error(err)
		}
		if strings.Contains(p.name, "goleak") {
			t.Errorf("%s is for tests only", p.name)
		}
	}
	data, err := r.bom(all)
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		BOMFormat, SpecVersion string
		Components             []struct{ Purl string }
	}
	if err := json.Unmarshal(data, &bom); err != nil || bom.BOMFormat != "CycloneDX" || bom.SpecVersion != "1.6" ||
		len(bom.Components) != len(all) {
		t.Errorf("%v, %s %s with %d components, want %d", err, bom.BOMFormat, bom.SpecVersion, len(bom.Components), len(all))
	}
	again, err := r.bom(all)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("a second run wrote other bytes, %v", err)
	}
}

// tarFS returns the files of a tar archive.
func tarFS(t *testing.T, data []byte) fs.FS {
	t.Helper()
	out := fstest.MapFS{}
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = &fstest.MapFile{Data: text, Mode: 0o644}
	}
}
