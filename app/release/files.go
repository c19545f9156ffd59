package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file or, with a mode of a folder, a folder in an archive or package.
type file struct {
	path string // with slashes
	mode fs.FileMode
	data []byte
	uid  int
}

// sorted returns the files in the order of their paths, so that an archive does not depend on the order of creation.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.path, b.path) })
}

// tarOf returns a tar archive. All files have the same time, and belong to their uid and the group of that number.
func tarOf(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range sorted(files) {
		h := &tar.Header{
			Name: f.path, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: at, Typeflag: tar.TypeReg,
			Uid: f.uid, Gid: f.uid, Format: tar.FormatPAX,
		}
		if f.mode&fs.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if f.mode.IsDir() {
			h.Name, h.Typeflag = f.path+"/", tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// gzipped compresses data, without a name and a time.
func gzipped(data []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

func zipOf(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range sorted(files) {
		h := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		in, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := in.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// archive writes the archive of a platform: the server, its documents and sample configurations.
func (r release) archive(b binary, generated map[string][]byte) error {
	files, err := r.contents(b, generated)
	if err != nil {
		return err
	}
	base := r.name(b.label())
	for i := range files {
		files[i].path = base + "/" + files[i].path
	}
	if b.os == "windows" {
		data, err := zipOf(files, r.time)
		return errors.Join(err, r.write(base+".zip", data))
	}
	data, err := tarOf(files, r.time)
	if err != nil {
		return err
	}
	data, err = gzipped(data, gzip.DefaultCompression)
	return errors.Join(err, r.write(base+".tar.gz", data))
}

func (r release) contents(b binary, generated map[string][]byte) ([]file, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	files := []file{{path: b.program(), mode: 0o755, data: program}}
	for path, data := range generated {
		files = append(files, file{path: path, mode: 0o644, data: data})
	}
	for _, from := range []string{
		"README.md", "LICENSE", ".github/CHANGELOG.md", "configs/*.md", "configs/*.yaml", "configs/prometheus/*",
		"configs/proxy/*", "configs/systemd/*.service", "configs/systemd/*.conf",
	} {
		found, err := r.read(from)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			f.path = strings.TrimPrefix(f.path, ".github/")
			files = append(files, f)
		}
	}
	return files, nil
}

// read returns the files of the checkout that match a pattern, of which there must be one.
func (r release) read(pattern string) ([]file, error) {
	paths, err := filepath.Glob(filepath.Join(r.root, filepath.FromSlash(pattern)))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no file is named %s", pattern)
	}
	var out []file
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(r.root, path)
		if err != nil {
			return nil, err
		}
		out = append(out, file{path: filepath.ToSlash(rel), mode: 0o644, data: data})
	}
	return out, nil
}

// write writes a file of the release.
func (r release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// sums writes SHA256SUMS, which sha256sum --check reads.
func (r release) sums() error {
	names, err := filepath.Glob(filepath.Join(r.out, "*"))
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, path := range names { // sorted
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), filepath.Base(path))
	}
	return r.write("SHA256SUMS", []byte(b.String()))
}
