package exports

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/modules/kit"
)

// These sizes are in bytes before compression.
const (
	entrySize = 1 << 20  // size of a file of lines from which no more pages are added
	copySize  = 64 << 10 // maximum number of bytes of a blob copied at once
)

// position describes where the next part of an archive begins, and summarizes the preceding parts.
type position struct {
	Section string           `json:"section,omitempty"` // "": the first section
	After   string           `json:"after,omitempty"`   // cursor of the next page in Section
	Files   int              `json:"files,omitempty"`   // number of files of lines written for Section
	Pending []export.File    `json:"pending,omitempty"` // blobs that belong to lines and are not copied yet
	Lines   map[string]int64 `json:"lines,omitempty"`   // number of lines written, by section
	Blobs   int64            `json:"blobs,omitempty"`   // number of blobs copied
	Missing int64            `json:"missing,omitempty"` // number of blobs that were not found
	Read    bool             `json:"read,omitempty"`    // all lines have been written
}

// archive generates a part of an archive while the blob store reads it.
type archive struct {
	*service
	ctx      context.Context
	export   *row
	sections []section
	at       position

	tar      *tar.Writer
	gzip     *gzip.Writer
	out      bytes.Buffer  // compressed data not yet read
	lines    bytes.Buffer  // contents of the current file of lines
	in       string        // the section of lines
	written  int64         // bytes before compression
	open     io.ReadCloser // the blob being copied
	ended    bool          // the part is written
	complete bool          // this is the last part of the archive
}

// archive returns a reader of the next part of an export.
func (s *service) archive(ctx context.Context, r *row) (*archive, error) {
	a := &archive{service: s, ctx: ctx, export: r, sections: s.sections(), at: position{Lines: map[string]int64{}}}
	if err := json.Unmarshal([]byte(r.Position), &a.at); err != nil {
		return nil, err
	}
	a.gzip = gzip.NewWriter(&a.out)
	a.tar = tar.NewWriter(a.gzip)
	return a, nil
}

// Read implements io.Reader.
func (a *archive) Read(p []byte) (int, error) {
	for a.out.Len() == 0 {
		if a.ended {
			return 0, io.EOF
		}
		if err := errors.Join(a.step(), a.ctx.Err()); err != nil {
			return 0, err
		}
	}
	return a.out.Read(p)
}

// Close closes the blob being copied.
func (a *archive) Close() error {
	if a.open == nil {
		return nil
	}
	err := a.open.Close()
	a.open = nil
	return err
}

// step writes a page of lines, a piece of a blob, or the end of the part.
func (a *archive) step() error {
	switch {
	case a.open != nil:
		return a.copy()
	case a.written >= int64(a.cfg.PartMiB)<<20:
		return a.end()
	case len(a.at.Pending) > 0:
		f := a.at.Pending[0]
		a.at.Pending = a.at.Pending[1:]
		return a.openBlob(f)
	case a.at.Read:
		return a.end()
	}
	return a.page()
}

// page reads the next page and writes its lines.
func (a *archive) page() error {
	i := 0
	if a.at.Section != "" {
		if i = slices.IndexFunc(a.sections, func(s section) bool { return s.name == a.at.Section }); i < 0 {
			return fmt.Errorf("no module exports the table %q any more", a.at.Section)
		}
	}
	now := a.sections[i]
	v, err := a.Directory.View(a.ctx, a.export.RealmID)
	if err != nil {
		return err
	}
	page, err := now.page(a.ctx, export.ScopeOf(v, a.export.Type, a.export.RequestedAt), a.at.After)
	if err != nil {
		return fmt.Errorf("%s: %w", now.name, err)
	}
	a.in = now.name
	for _, line := range page.Lines {
		text, err := kit.AppendJSON(nil, line)
		if err != nil {
			return fmt.Errorf("%s: %w", now.name, err)
		}
		a.lines.Write(append(text, '\n'))
	}
	if n := len(page.Lines); n > 0 {
		a.at.Lines[now.name] += int64(n)
	}
	a.at.Pending, a.at.After = page.Files, page.Next
	if page.Next != "" {
		a.at.Section = now.name
		return a.flush(entrySize)
	}
	if err := a.flush(1); err != nil {
		return err
	}
	a.at.Files = 0
	if i+1 < len(a.sections) {
		a.at.Section = a.sections[i+1].name
		return nil
	}
	a.at.Read = true
	return nil
}

// flush writes the pending lines as a file if they have at least least bytes.
func (a *archive) flush(least int) error {
	if a.lines.Len() < least {
		return nil
	}
	a.at.Files++
	err := a.entry(fmt.Sprintf("%s/%06d.jsonl", a.in, a.at.Files), a.lines.Bytes())
	a.lines.Reset()
	return err
}

// entry writes a complete file.
func (a *archive) entry(name string, content []byte) error {
	if err := a.header(name, int64(len(content))); err != nil {
		return err
	}
	n, err := a.tar.Write(content)
	a.written += int64(n)
	return err
}

func (a *archive) header(name string, size int64) error {
	return a.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: a.export.RequestedAt})
}

// openBlob starts copying a blob. It skips a blob that does not exist.
func (a *archive) openBlob(f export.File) error {
	open, info, err := a.Blobs.Open(a.ctx, f.Key, 0, -1)
	if errs.Is(err, errs.NotFound) {
		a.at.Missing++
		a.Logger.Warn("a file is missing in an export", "export", a.export.ID, "key", f.Key)
		return nil
	}
	if err != nil {
		return err
	}
	a.open = open
	a.at.Blobs++
	return a.header(f.Name(), info.Size)
}

// copy copies a piece of the open blob.
func (a *archive) copy() error {
	n, err := io.CopyN(a.tar, a.open, copySize)
	a.written += n
	if err != io.EOF { //nolint:errorlint // CopyN does not wrap it
		return err
	}
	return errors.Join(a.Close(), a.tar.Flush())
}

// end writes the end of the part, and in the last part the end of the tar file.
func (a *archive) end() error {
	a.ended = true
	if a.complete = a.at.Read && len(a.at.Pending) == 0; !a.complete {
		return errors.Join(a.flush(1), a.tar.Flush(), a.gzip.Close())
	}
	v, err := a.Directory.View(a.ctx, a.export.RealmID)
	if err != nil {
		return err
	}
	about, err := json.MarshalIndent(manifest{
		Format: format, Type: a.export.Type, Time: a.export.RequestedAt.UTC(), Name: v.Realm().Settings.Name,
		UUID: v.Realm().UUID, Lines: a.at.Lines,
		Blobs: a.at.Blobs, Missing: a.at.Missing,
	}, "", "\t")
	if err != nil {
		return err
	}
	return errors.Join(a.entry("manifest.json", append(about, '\n')), a.tar.Close(), a.gzip.Close())
}
