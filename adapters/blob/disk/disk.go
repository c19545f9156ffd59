// Package disk stores blobs as files in a folder. A file is written under a temporary name and renamed once it has
// reached the disk, so that blobs are complete even after a crash. Neither keys nor symbolic links can escape the
// folder.
package disk

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
var Module = kit.Adapter("blob", "disk", "Stores pictures and files in a folder.", Config{},
	func(c Config, n needs) (ports.Blobs, error) {
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

// Config locates the folder.
type Config struct {
	Dir string `yaml:"dir"` // the folder, shared by all nodes; empty: blobs in data_dir
}

// unfinished is the folder of incomplete files, which no key can name. Files older than stale were left by a crash.
const (
	unfinished = ".unfinished"
	stale      = 24 * time.Hour
)

// Disk stores blobs in a folder.
type Disk struct {
	dir   string
	clock ports.Clock
	tidy  sync.Once
}

// New returns a store of blobs in dir, which is created on the first write.
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
		_ = root.Remove(temporary) // otherwise sweep removes it later
		return blob.Info{}, err
	}
	return blob.Info{Size: size}, nil
}

// perWrite is the write buffer in bytes.
const perWrite = 256 << 10

// write writes a file and syncs it to disk. Errors: those of r; Unavailable.
func write(ctx context.Context, root *os.Root, name string, r io.Reader) (int64, error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, unavailable(err)
	}
	src := &source{ctx: ctx, r: r}
	// Multipart forms arrive in small pieces, each of which would be a separate write.
	blocks := bufio.NewWriterSize(struct{ io.Writer }{f}, perWrite)
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

// source records its reader's errors, to distinguish them from write errors.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

// Read fails once the context has ended.
func (s *source) Read(p []byte) (n int, err error) {
	if err = s.ctx.Err(); err == nil {
		n, err = s.r.Read(p)
	}
	if err != nil && err != io.EOF { //nolint:errorlint // io.Copy recognizes only io.EOF itself
		s.err = err
	}
	return n, err
}

// maxTries limits the attempts to create a folder that is deleted concurrently.
const maxTries = 10

// place moves a file to its final path and syncs the folders.
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
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a concurrent Delete may have removed the folder
			return unavailable(err)
		}
		if dir == "." {
			return nil
		}
	}
}

// sweep removes incomplete files left by a crash.
func (d *Disk) sweep(root *os.Root) {
	entries, err := fs.ReadDir(root.FS(), unfinished)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && d.clock.Now().Sub(info.ModTime()) > stale {
			_ = root.Remove(path.Join(unfinished, e.Name())) // if this fails, the next sweep tries again
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
			if root.Remove(dir) != nil { // not empty
				break
			}
		}
	}
	return unavailable(errors.Join(all...))
}

// Check implements ports.Blobs by creating and removing a file.
func (d *Disk) Check(context.Context) error {
	err := os.MkdirAll(filepath.Join(d.dir, unfinished), 0o700)
	if err == nil {
		name := filepath.Join(d.dir, unfinished, rand.Text())
		if err = os.WriteFile(name, []byte("x"), 0o600); err == nil {
			err = os.Remove(name)
		}
	}
	if err != nil {
		return unavailable(fmt.Errorf("cannot write to the folder %s: %w; make it writable, or set adapters.blob.dir", d.dir,
			err))
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
