package disk

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/blob"
)

// Keys implements ports.Blobs. It holds the names in one folder per level in memory.
func (d *Disk) Keys(ctx context.Context, prefix, after string) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		root, err := os.OpenRoot(d.dir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(blob.Entry{}, unavailable(err))
			return
		}
		defer func() { _ = root.Close() }()
		l := &lister{ctx: ctx, root: root.FS(), prefix: prefix, after: after, yield: yield}
		l.list(".", "")
	}
}

// lister walks folders in the byte order of their keys.
type lister struct {
	ctx           context.Context
	root          fs.FS
	prefix, after string
	yield         func(blob.Entry, error) bool
}

// list yields the blobs in a folder, whose keys begin with base, and reports whether to continue.
func (l *lister) list(dir, base string) bool {
	entries, err := fs.ReadDir(l.root, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err == nil {
		err = l.ctx.Err()
	}
	if err != nil {
		l.yield(blob.Entry{}, unavailable(err))
		return false
	}
	// A folder sorts as if its name ended with a slash: "a-b" comes before "a/b", although "a" comes before "a-b".
	name := func(e fs.DirEntry) string {
		if e.IsDir() {
			return base + e.Name() + "/"
		}
		return base + e.Name()
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return cmp.Compare(name(x), name(y)) })
	for _, e := range entries {
		if !l.one(path.Join(dir, e.Name()), name(e), e) {
			return false
		}
	}
	return true
}

func (l *lister) one(at, name string, e fs.DirEntry) bool {
	if e.IsDir() {
		inside := strings.HasPrefix(name, l.prefix) || strings.HasPrefix(l.prefix, name)
		if !inside || strings.HasPrefix(e.Name(), ".") || name < l.after && !strings.HasPrefix(l.after, name) {
			return true
		}
		return l.list(at, name)
	}
	if !e.Type().IsRegular() || !strings.HasPrefix(name, l.prefix) || name <= l.after || blob.CheckKey(name) != nil {
		return true
	}
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		l.yield(blob.Entry{}, unavailable(err))
		return false
	}
	return l.yield(blob.Entry{Key: name, Size: info.Size(), Modified: info.ModTime()}, nil)
}
