package exports

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/modules/kit"
)

// layout is the beginning of the file README.md in a folder.
//
//go:embed layout.md
var layout string

const messagesSection = "messages"

// folder is an export that is being written as a folder. At most a page of lines is in memory. The names of everybody
// and of all channels are those at its beginning.
type folder struct {
	*service
	ctx    context.Context
	export *row
	view   *directory.View
	root   *os.Root
	about  manifest
	rooms  map[channel.ID]string // the folders of channels
	direct map[string]bool       // the folders of direct conversations
	topic  struct{ file, name string }
}

func (s *service) folder(ctx context.Context, r *row, root *os.Root) (*folder, error) {
	v, err := s.Directory.Verified(ctx, r.RealmID)
	if err != nil {
		return nil, err
	}
	return &folder{
		service: s, ctx: ctx, export: r, view: v, root: root, rooms: map[channel.ID]string{}, direct: map[string]bool{},
		about: manifest{
			Format: format, Type: r.Type, Time: r.RequestedAt.UTC(), Name: v.Realm().Settings.Name, UUID: v.Realm().UUID,
			Lines: map[string]int64{},
		},
	}, nil
}

// write writes everything, the messages last, since their files must exist.
func (f *folder) write() error {
	for c := range f.view.Channels() {
		if f.scope(f.view).Channel(c.ID) {
			if err := f.room(c); err != nil {
				return err
			}
		}
	}
	last := -1
	sections := f.sections()
	for i, one := range sections {
		if one.name == messagesSection {
			last = i
			continue
		}
		if err := f.section(one, f.table); err != nil {
			return err
		}
	}
	if last >= 0 {
		if err := f.section(sections[last], f.messages); err != nil {
			return err
		}
	}
	about, err := json.MarshalIndent(f.about, "", "\t")
	if err != nil {
		return err
	}
	return errors.Join(f.append("manifest.json", append(about, '\n')), f.append("README.md", f.contents()))
}

func (f *folder) scope(v *directory.View) *export.Scope {
	return export.ScopeOf(v, f.export.Type, f.export.RequestedAt)
}

// section passes on the lines of a table and copies their files.
func (f *folder) section(one section, write func(name string, lines [][]byte) error) error {
	for after := ""; ; {
		v, err := f.Directory.View(f.ctx, f.export.RealmID)
		if err != nil {
			return err
		}
		page, err := one.page(f.ctx, f.scope(v), after)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		lines := make([][]byte, len(page.Lines))
		for i, line := range page.Lines {
			if lines[i], err = kit.AppendJSON(nil, line); err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
		}
		if len(lines) > 0 {
			f.about.Lines[one.name] += int64(len(lines))
			if err := write(one.name, lines); err != nil {
				return err
			}
		}
		for _, file := range page.Files {
			if err := f.copyFile(file); err != nil {
				return err
			}
		}
		if after = page.Next; after == "" {
			return f.ctx.Err()
		}
	}
}

// table writes lines of a table.
func (f *folder) table(name string, lines [][]byte) error {
	return f.append("tables/"+name+".jsonl", append(bytes.Join(lines, []byte("\n")), '\n'))
}

// copyFile copies a stored file, unless it is missing.
func (f *folder) copyFile(file export.File) error {
	from, _, err := f.Blobs.Open(f.ctx, file.Key, 0, -1)
	if errs.Is(err, errs.NotFound) {
		f.about.Missing++
		f.Logger.Warn("a file is missing in an export", "realm", f.export.RealmID, "key", file.Key)
		return nil
	}
	if err != nil {
		return err
	}
	f.about.Blobs++
	return errors.Join(f.create(file.Name(), from), from.Close())
}

// create writes a new file.
func (f *folder) create(name string, from io.Reader) error {
	if err := f.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	to, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// append appends to a file.
func (f *folder) append(name string, text []byte) error {
	if err := f.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	to, err := f.root.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return errors.Join(err, to.Close())
}
