package sink

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/stoachat/stoa/domain/audit"
)

// File appends entries to a file. It opens the file each time, so that it may be renamed.
type File struct {
	Path   string `yaml:"path"`   // a file to which entries are appended; "": none
	Format string `yaml:"format"` // jsonl, mattermost, ocsf or cef
}

// Problem returns an error if the settings are invalid.
func (f File) Problem() error {
	switch {
	case f.Path == "":
		return nil
	case !filepath.IsAbs(f.Path):
		return errors.New("file.path: want an absolute path")
	case f.Format == "csv":
		return errors.New("file.format: csv has a header, which a file with appended lines cannot have; want jsonl")
	}
	return checkFormat("file", f.Format)
}

// Send implements Sink.
func (f File) Send(_ context.Context, entries []audit.Entry) error {
	text, err := lines(f.Format, entries)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(f.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	if err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close())
}
