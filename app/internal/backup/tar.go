package backup

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/ports"
)

// TarWriter is a place that writes a tar archive with a single set. It contains nothing before it was written.
type TarWriter struct {
	w    *tar.Writer
	keys []string // in the order in which they were written
}

var _ ports.Blobs = (*TarWriter)(nil)

// NewTarWriter returns a place that writes an archive to w. Close completes it.
func NewTarWriter(w io.Writer) *TarWriter { return &TarWriter{w: tar.NewWriter(w)} }

// Close writes the end of the archive.
func (t *TarWriter) Close() error { return t.w.Close() }

// Put implements ports.Blobs.
func (t *TarWriter) Put(_ context.Context, key string, r io.Reader, _ int64) (blob.Info, error) {
	size, err := sizeOf(r)
	if err != nil {
		return blob.Info{}, err
	}
	t.keys = append(t.keys, key)
	header := &tar.Header{Name: key, Mode: 0o600, Size: size, Format: tar.FormatPAX}
	if err := t.w.WriteHeader(header); err != nil {
		return blob.Info{}, err
	}
	_, err = io.Copy(t.w, r)
	return blob.Info{Size: size}, err
}

// sizeOf returns what is left in a reader in memory or of a file.
func sizeOf(r io.Reader) (int64, error) {
	s, ok := r.(io.Seeker)
	if !ok {
		return 0, errors.New("the size of a part is unknown")
	}
	size, err := s.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = s.Seek(0, io.SeekStart)
	}
	return size, err
}

// Keys implements ports.Blobs.
func (t *TarWriter) Keys(_ context.Context, prefix, _ string) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		for _, key := range t.keys {
			if strings.HasPrefix(key, prefix) && !yield(blob.Entry{Key: key}, nil) {
				return
			}
		}
	}
}

var errWriteOnly = errors.New("an archive that is being written cannot be read")

// Open implements ports.Blobs.
func (t *TarWriter) Open(context.Context, string, int64, int64) (io.ReadCloser, blob.Info, error) {
	return nil, blob.Info{}, errWriteOnly
}

// Delete implements ports.Blobs.
func (t *TarWriter) Delete(context.Context, ...string) error { return errWriteOnly }

// Check implements ports.Blobs.
func (t *TarWriter) Check(context.Context) error { return nil }

// TarReader is a place that reads a tar archive.
type TarReader struct {
	f     *os.File
	parts map[string]span
}

type span struct{ from, size int64 }

var _ ports.Blobs = (*TarReader)(nil)

// OpenTar opens an archive. Its error says whether the file is no archive, or is truncated.
func OpenTar(f *os.File) (*TarReader, error) {
	t := &TarReader{f, map[string]span{}}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && len(t.parts) > 0:
			return t, nil
		case err != nil && len(t.parts) == 0:
			return nil, damaged("%s is not an archive of a backup", f.Name())
		case err != nil:
			return nil, damaged("%s is truncated or damaged: %w", f.Name(), err)
		}
		from, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		if from+h.Size > info.Size() {
			return nil, damaged("%s is truncated: %s is not complete", f.Name(), h.Name)
		}
		t.parts[h.Name] = span{from, h.Size}
	}
}

// Open implements ports.Blobs.
func (t *TarReader) Open(_ context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	s, ok := t.parts[key]
	if !ok {
		return nil, blob.Info{}, blob.Missing()
	}
	n, err := blob.Span(s.size, from, n)
	if err != nil {
		return nil, blob.Info{}, err
	}
	return io.NopCloser(io.NewSectionReader(t.f, s.from+from, n)), blob.Info{Size: s.size}, nil
}

// Keys implements ports.Blobs.
func (t *TarReader) Keys(_ context.Context, prefix, after string) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		for _, key := range slices.SortedFunc(maps.Keys(t.parts), cmp.Compare[string]) {
			if strings.HasPrefix(key, prefix) && key > after && !yield(blob.Entry{Key: key, Size: t.parts[key].size}, nil) {
				return
			}
		}
	}
}

var errReadOnly = errors.New("an archive cannot be changed")

// Put implements ports.Blobs.
func (t *TarReader) Put(context.Context, string, io.Reader, int64) (blob.Info, error) {
	return blob.Info{}, errReadOnly
}

// Delete implements ports.Blobs.
func (t *TarReader) Delete(context.Context, ...string) error { return errReadOnly }

// Check implements ports.Blobs.
func (t *TarReader) Check(context.Context) error { return nil }
