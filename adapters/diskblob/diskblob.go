// Package diskblob keeps blobs as files of a folder. A file is written beside its place and moved there when all of it is on the
// disk, so that what is there is whole, whenever the machine fails. Nothing outside of the folder can be reached, by no key and
// by no link within it.
package diskblob

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("blob", "disk", "Keeps pictures and files in a folder.", Config{}, func(c Config, n needs) (ports.Blobs, error) {
	dir := c.Dir
	if dir == "" {
		dir = filepath.Join(string(n.Data), "blobs")
	}
	return New(dir, n.Clock), nil
})

type needs struct {
	fx.In
	Data  ports.DataDir
	Clock ports.Clock
}

// Config says where.
type Config struct {
	Dir string `yaml:"dir"` // the folder; empty is blobs in data_dir. All nodes must share it
}

// unfinished is where files are until they are whole; no key leads there. What is older than stale was left by a failure.
const (
	unfinished = ".unfinished"
	stale      = 24 * time.Hour
)

// Disk is a folder.
type Disk struct {
	dir   string
	clock ports.Clock
	tidy  sync.Once
}

// New gives the blobs of a folder, which is made when it is first written to.
func New(dir string, clock ports.Clock) *Disk { return &Disk{dir: dir, clock: clock} }

// Put implements ports.Blobs.
func (d *Disk) Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, err
	}
	if err := os.MkdirAll(filepath.Join(d.dir, unfinished), 0o700); err != nil {
		return blob.Info{}, unavailable(err)
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return blob.Info{}, unavailable(err)
	}
	defer func() { _ = root.Close() }()
	d.tidy.Do(func() { d.sweep(root) })
	temporary := path.Join(unfinished, rand.Text())
	size, err := write(ctx, root, temporary, blob.Limited(r, limit))
	if err == nil {
		err = place(root, temporary, key)
	}
	if err != nil {
		_ = root.Remove(temporary) // swept later if it stays
		return blob.Info{}, err
	}
	return blob.Info{Size: size}, nil
}

// perWrite is how many bytes are written at once.
const perWrite = 256 << 10

// write writes a file and brings it to the disk. Errors: those of r; Unavailable.
func write(ctx context.Context, root *os.Root, name string, r io.Reader) (int64, error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, unavailable(err)
	}
	src := &source{ctx: ctx, r: r}
	blocks := bufio.NewWriterSize(struct{ io.Writer }{f}, perWrite) // forms are read in small pieces; a file would take them as they are
	size, err := io.Copy(blocks, src)
	if err == nil {
		err = blocks.Flush()
	}
	if err != nil && src.err == nil {
		err = unavailable(err)
	}
	if err == nil {
		err = unavailable(f.Sync())
	}
	return size, errors.Join(err, unavailable(f.Close()))
}

// source tells the errors of reading from those of writing.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

// Read reads on until the context ends.
func (s *source) Read(p []byte) (n int, err error) {
	if err = s.ctx.Err(); err == nil {
		n, err = s.r.Read(p)
	}
	if err != nil && err != io.EOF { //nolint:errorlint // nothing else is the end to io.Copy
		s.err = err
	}
	return n, err
}

// maxTries is how often a folder is made that disappears.
const maxTries = 10

// place moves a file to where it belongs, and brings the folders to the disk.
func place(root *os.Root, from, key string) error {
	dir := path.Dir(key)
	err := fs.ErrNotExist
	for try := 0; try < maxTries && errors.Is(err, fs.ErrNotExist); try++ { // Delete removes empty folders
		if err = root.MkdirAll(dir, 0o700); err == nil {
			err = root.Rename(from, key)
		}
	}
	if err != nil {
		return unavailable(err)
	}
	for ; ; dir = path.Dir(dir) {
		f, err := root.Open(dir)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it goes with the blob, if that is deleted already
			return unavailable(err)
		}
		if dir == "." {
			return nil
		}
	}
}

// sweep removes what was being written when a server failed.
func (d *Disk) sweep(root *os.Root) {
	entries, err := fs.ReadDir(root.FS(), unfinished)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && d.clock.Now().Sub(info.ModTime()) > stale {
			_ = root.Remove(path.Join(unfinished, e.Name())) // or next time
		}
	}
}

// Open implements ports.Blobs.
func (d *Disk) Open(_ context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	if blob.CheckKey(key) != nil {
		return nil, blob.Info{}, blob.Missing()
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return nil, blob.Info{}, missing(err)
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(key)
	if err != nil {
		return nil, blob.Info{}, missing(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, blob.Info{}, errors.Join(missing(err), f.Close())
	}
	length, err := blob.Span(info.Size(), from, n)
	if err == nil {
		_, err = f.Seek(from, io.SeekStart)
	}
	if err != nil {
		return nil, blob.Info{}, errors.Join(err, f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{blob.Exactly(f, length), f}, blob.Info{Size: info.Size()}, nil
}

// Delete implements ports.Blobs.
func (d *Disk) Delete(_ context.Context, keys ...string) error {
	root, err := os.OpenRoot(d.dir)
	if errors.Is(err, fs.ErrNotExist) || len(keys) == 0 {
		return nil
	}
	if err != nil {
		return unavailable(err)
	}
	defer func() { _ = root.Close() }()
	var all []error
	for _, key := range keys {
		if blob.CheckKey(key) != nil {
			continue
		}
		if err := root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
			continue
		}
		for dir := path.Dir(key); dir != "."; dir = path.Dir(dir) {
			if root.Remove(dir) != nil { // it is not empty
				break
			}
		}
	}
	return unavailable(errors.Join(all...))
}

// Check implements ports.Blobs: it creates and removes a file.
func (d *Disk) Check(context.Context) error {
	err := os.MkdirAll(filepath.Join(d.dir, unfinished), 0o700)
	if err == nil {
		name := filepath.Join(d.dir, unfinished, rand.Text())
		if err = os.WriteFile(name, []byte("x"), 0o600); err == nil {
			err = os.Remove(name)
		}
	}
	if err != nil {
		return unavailable(fmt.Errorf("cannot write to the folder %s: %w; make it writable, or set adapters.blob.dir", d.dir, err))
	}
	return nil
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return blob.Missing()
	}
	return unavailable(err)
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return errs.New(errs.Unavailable, "Files can't be stored or read at the moment; please try again.").Because(err)
}
