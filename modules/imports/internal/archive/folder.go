package archive

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// folder opens a folder. It opens files through a root, so that nothing leads out of it, whatever changes meanwhile.
func folder(dir string, l Limits) (*Opened, error) {
	return within(dir, l, func(string) bool { return true })
}

// beside opens a single file with the folder data beside it.
func beside(name string, l Limits) (*Opened, error) {
	base := filepath.Base(name)
	return within(filepath.Dir(name), l, func(path string) bool {
		return path == base || path == "data" || strings.HasPrefix(path, "data/")
	})
}

func within(dir string, l Limits, included func(path string) bool) (*Opened, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	b := newBuilder(l)
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".":
			return nil
		case !included(path):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return importing.Unusable("the folder contains %.200q, which is a link or a device", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, ok, err := b.admit(path, info.Size(), 0)
		if ok {
			b.files[name] = entry{info.Size(), func() (io.ReadCloser, error) {
				f, err := root.Open(path)
				if err != nil {
					return nil, err
				}
				return &sized{f, name, info.Size()}, nil
			}}
		}
		return err
	})
	var o *Opened
	if err == nil {
		o, err = b.done()
	}
	if err != nil {
		_ = root.Close() // it was only read
		return nil, err
	}
	o.close = root.Close
	return o, nil
}
