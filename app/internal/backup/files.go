package backup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// file is a line of the list of files.
type file struct {
	Key  string `json:"key"`
	Size int64  `json:"size"` // bytes
	Blob string `json:"blob"` // its name
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// files copies the files that the place lacks, and stores the list of all. If retries is set and files have been
// deleted since the database was read, it returns true.
func (w *writer) files(ctx context.Context, m *Manifest, keys []kit.BlobKey, retries bool) (again bool, err error) {
	have, err := known(ctx, w.to.Place)
	if err != nil {
		return false, err
	}
	var list, names bytes.Buffer
	var missing []string
	used := map[string]bool{}
	for i, k := range keys {
		w.Progress("files", i, len(keys))
		f, err := w.file(ctx, k.Key, have)
		switch {
		case errs.Is(err, errs.NotFound) && !k.Optional:
			missing = append(missing, k.Key)
			continue
		case errs.Is(err, errs.NotFound):
			continue
		case err != nil:
			return false, fmt.Errorf("copy the file %s: %w", k.Key, reason(err))
		}
		used[f.Blob] = true
		m.Files.Count, m.Files.Bytes = m.Files.Count+1, m.Files.Bytes+f.Size
		line, err := json.Marshal(f)
		if err != nil {
			return false, err
		}
		list.Write(append(line, '\n'))
		names.WriteString(f.Blob + "\n")
	}
	w.Progress("files", 1, 1)
	m.Files.Missing = len(missing)
	if len(missing) > 0 && retries {
		if again, err := w.deleted(ctx, missing); err != nil || again {
			return again, err
		}
	}
	if err := w.stillThere(ctx, used); err != nil {
		return false, err
	}
	open := &sealing{compressor: w.seal.compressor}
	m.Files.Part, m.Files.Blobs = &Part{Name: w.seal.name("files", true)}, &Part{Name: open.name("blobs", true)}
	for _, p := range []struct {
		part *Part
		seal *sealing
		text *bytes.Buffer
	}{{m.Files.Part, w.seal, &list}, {m.Files.Blobs, open, &names}} {
		s, err := p.seal.fill(true, func(to io.Writer) error { _, err := p.text.WriteTo(to); return err })
		if err == nil {
			err = w.store(ctx, p.part, s)
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// file copies a file, unless the place has it. Errors: NotFound, Unavailable.
func (w *writer) file(ctx context.Context, key string, have map[string]string) (file, error) {
	id := w.blobID(key)
	size := int64(-1)
	if name := have[id]; name != "" { // the size is only known to the store
		body, info, err := w.Blobs.Open(ctx, key, 0, 0)
		if err != nil {
			return file{}, err
		}
		return file{key, info.Size, name}, body.Close()
	}
	body, info, err := w.Blobs.Open(ctx, key, 0, -1)
	if err != nil {
		return file{}, err
	}
	s, err := w.seal.fill(false, func(to io.Writer) error {
		size, err = io.Copy(to, body)
		return err
	})
	if err = errors.Join(err, body.Close()); err != nil {
		return file{}, err
	}
	if size != info.Size {
		return file{}, errors.Join(io.ErrUnexpectedEOF, s.Close())
	}
	name := blobName(id, s.hash(), len(w.seal.recipients) > 0)
	w.NewBytes += s.size
	have[id] = name
	return file{key, size, name}, put(ctx, w.to.Place, name, s)
}

// deleted reports whether the present database no longer refers to one of the files.
func (w *writer) deleted(ctx context.Context, missing []string) (bool, error) {
	left := map[string]bool{}
	for _, key := range missing {
		left[key] = true
	}
	for k, err := range w.Keys(ctx) {
		if err != nil {
			return false, err
		}
		delete(left, k.Key)
	}
	return len(left) > 0, nil
}

// stillThere checks that nobody has pruned the blobs that the set refers to.
func (w *writer) stillThere(ctx context.Context, used map[string]bool) error {
	for e, err := range w.to.Place.Keys(ctx, blobsPrefix, "") {
		if err != nil {
			return fmt.Errorf("list the stored files: %w", reason(err))
		}
		delete(used, e.Key)
	}
	for name := range used {
		return fmt.Errorf("%s was deleted during the backup; run it again", name)
	}
	return nil
}

// listed yields the files of a set.
func (o opening) listed(ctx context.Context, from ports.Blobs, set string, m *Manifest) iter.Seq2[file, error] {
	return func(yield func(file, error) bool) {
		for line, err := range o.lines(ctx, from, set, m.Files.Part, len(m.Age) > 0) {
			var f file
			if err == nil {
				err = json.Unmarshal(line, &f)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// blobsOf yields the names of the blobs to which a set refers.
func blobsOf(ctx context.Context, from ports.Blobs, set string, m *Manifest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for line, err := range (opening{}).lines(ctx, from, set, m.Files.Blobs, false) {
			if !yield(string(line), err) {
				return
			}
		}
	}
}

// lines yields the lines of a part; none if there is no such part.
func (o opening) lines(
	ctx context.Context, from ports.Blobs, set string, p *Part, sealed bool,
) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if p == nil {
			return
		}
		s, err := fetch(ctx, from, setsPrefix+set+"/"+p.Name, p.Size, p.SHA256)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = s.Close() }()
		r, err := o.reader(s, sealed, true)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = r.Close() }()
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			if !yield(lines.Bytes(), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, fmt.Errorf("read %s: %w", p.Name, err))
		}
	}
}

// sumOf returns the hash in the name of a blob.
func sumOf(name string) (string, error) {
	_, rest, _ := cutLast(name, "-")
	sum, _, _ := strings.Cut(rest, ".")
	if len(sum) != 64 || !strings.HasPrefix(name, blobsPrefix) {
		return "", fmt.Errorf("the list of files names %q, which is not the name of a blob", name)
	}
	return sum, nil
}
