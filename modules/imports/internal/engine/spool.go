package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/stoachat/stoa/domain/importing"
)

// spool keeps states in a file.
type spool struct {
	f *os.File
	w *bufio.Writer
	n int
}

func newSpool(dir string) (*spool, error) {
	f, err := os.Create(filepath.Join(dir, "states")) //nolint:gosec // in the import's own folder
	if err != nil {
		return nil, err
	}
	return &spool{f: f, w: bufio.NewWriterSize(f, 1<<20)}, nil
}

func (s *spool) add(x *importing.State) error {
	s.n++
	return json.NewEncoder(s.w).Encode(x)
}

// each calls fn for all states, and closes the file.
func (s *spool) each(fn func(*importing.State) error) error {
	err := s.w.Flush()
	if err == nil {
		_, err = s.f.Seek(0, io.SeekStart)
	}
	for d := json.NewDecoder(bufio.NewReaderSize(s.f, 1<<20)); err == nil; {
		var x importing.State
		if err = d.Decode(&x); err == nil {
			err = fn(&x)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, s.f.Close())
}
