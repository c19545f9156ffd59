// Package archive opens the archives of imports: ZIP files, tar files, folders, and single files with a folder beside
// them. Their content is hostile: names are checked before anything is read, and no file becomes larger than it claims.
package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/importing"
)

// Limits on what an archive may contain.
type Limits struct {
	Files     int   // maximum number of files
	Expansion int64 // maximum ratio of the size of a file to its compressed size
	Bytes     int64 // maximum size of all files
}

// Defaults are the limits of imports.
func Defaults() Limits { return Limits{Files: 2_000_000, Expansion: 200, Bytes: 1 << 40} }

// smallFile is the size below which the ratio does not matter: a file of blanks is no attack.
const smallFile = 1 << 20

// Opened is an opened archive.
type Opened struct {
	files map[string]entry
	names []string
	close func() error
}

// entry is a file of an archive.
type entry struct {
	size int64
	open func() (io.ReadCloser, error)
}

var _ importing.Archive = (*Opened)(nil)

// Open opens the archive at a path. A tar file is first unpacked into the folder scratch, which the caller deletes when
// it is no longer needed. Errors: *importing.UnusableError.
func Open(name, scratch string, l Limits) (*Opened, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	switch {
	case info.IsDir():
		return folder(name, l)
	case !info.Mode().IsRegular():
		return nil, importing.Unusable("%s is neither a file nor a folder", name)
	}
	f, err := os.Open(name) //nolint:gosec // the operator names the archive
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	start := make([]byte, 512)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	switch start = start[:n]; {
	case bytes.HasPrefix(start, []byte("PK\x03\x04")) || bytes.HasPrefix(start, []byte("PK\x05\x06")):
		o, err := openZip(f, info.Size(), l)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		o.close = f.Close
		return o, nil
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return unpacked(f, info.Size(), true, scratch, l)
	case n == 512 && bytes.HasPrefix(start[257:], []byte("ustar")):
		return unpacked(f, info.Size(), false, scratch, l)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	switch filepath.Ext(name) {
	case ".json", ".jsonl":
		return beside(name, l)
	}
	return nil, importing.Unusable("%s is not a ZIP file, a tar file or a folder", name)
}

// Names implements importing.Archive.
func (o *Opened) Names() []string { return o.names }

// Size implements importing.Archive.
func (o *Opened) Size(name string) (int64, bool) { e, ok := o.files[name]; return e.size, ok }

// Open implements importing.Archive.
func (o *Opened) Open(name string) (io.ReadCloser, error) {
	e, ok := o.files[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return e.open()
}

// Close closes the archive.
func (o *Opened) Close() error {
	if o.close == nil {
		return nil
	}
	return o.close()
}

// builder collects the files of an archive.
type builder struct {
	limits Limits
	files  map[string]entry
	bytes  int64
}

func newBuilder(l Limits) *builder { return &builder{limits: l, files: map[string]entry{}} }

// admit checks a file before it is read, and returns its name. ok is false for files that programs add without being
// asked. compressed is 0 if it is unknown.
func (b *builder) admit(name string, size, compressed int64) (clean string, ok bool, err error) {
	clean, err = cleanName(name)
	switch {
	case err != nil:
		return "", false, err
	case rubbish(clean):
		return "", false, nil
	case size < 0:
		return "", false, importing.Unusable("the archive is damaged: %.200q has no size", clean)
	case len(b.files) >= b.limits.Files:
		return "", false, importing.Unusable("the archive contains more than %d files", b.limits.Files)
	case compressed > 0 && size > smallFile && size/compressed > b.limits.Expansion:
		return "", false, importing.Unusable("%.200q in the archive is compressed more than %d times, as attacks are",
			clean, b.limits.Expansion)
	case size > b.limits.Bytes-b.bytes:
		return "", false, importing.Unusable("the files of the archive are larger than %d bytes", b.limits.Bytes)
	}
	if _, twice := b.files[clean]; twice {
		return "", false, importing.Unusable("the archive contains %.200q twice", clean)
	}
	b.bytes += size
	return clean, true, nil
}

// done returns the archive, without a folder that contains everything.
func (b *builder) done() (*Opened, error) {
	if len(b.files) == 0 {
		return nil, importing.Unusable("the archive is empty")
	}
	o := &Opened{files: b.files}
	if top := b.top(); top != "" {
		o.files = make(map[string]entry, len(b.files))
		for name, e := range b.files {
			o.files[strings.TrimPrefix(name, top)] = e
		}
	}
	for name := range o.files {
		o.names = append(o.names, name)
	}
	slices.Sort(o.names)
	return o, nil
}

// top returns the folder that contains all files, with a slash, or "".
func (b *builder) top() string {
	top := ""
	for name := range b.files {
		first, _, inFolder := strings.Cut(name, "/")
		if !inFolder || top != "" && top != first+"/" {
			return ""
		}
		top = first + "/"
	}
	return top
}

// cleanName returns the name of a file with slashes. Errors: *importing.UnusableError for names that lead elsewhere.
func cleanName(name string) (string, error) {
	if !utf8.ValidString(name) {
		name = fromCP437(name)
	}
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	if name == "" || len(name) > 4096 || strings.ContainsRune(name, 0) || strings.HasPrefix(name, "/") ||
		len(name) > 1 && name[1] == ':' || path.Clean(name) != strings.TrimSuffix(name, "/") ||
		!fs.ValidPath(path.Clean(name)) {
		return "", importing.Unusable("the archive contains a file with the name %.200q, which leads out of it", name)
	}
	return path.Clean(name), nil
}

// rubbish reports whether a file was added by an operating system.
func rubbish(name string) bool {
	return strings.HasPrefix(name, "__MACOSX/") || path.Base(name) == ".DS_Store" || path.Base(name) == "Thumbs.db"
}

// cp437 contains the upper half of the character set that ZIP files without the UTF-8 flag have.
var cp437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
	"αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")

func fromCP437(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteRune(cp437[c-0x80])
		}
	}
	return b.String()
}

// sized fails if a file is larger or smaller than it claims.
type sized struct {
	io.ReadCloser
	name string
	left int64
}

// Read implements io.Reader.
func (s *sized) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.left -= int64(n)
	if s.left < 0 {
		return 0, fmt.Errorf("%s is larger than the archive claims", s.name)
	}
	if errors.Is(err, io.EOF) && s.left > 0 {
		return n, fmt.Errorf("%s: %w", s.name, io.ErrUnexpectedEOF)
	}
	return n, err
}
