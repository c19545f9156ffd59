package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// unpackedMark is the file that shows that an archive was unpacked completely, so that an import that is resumed does
// not unpack it again. It contains the size of the archive.
const unpackedMark = ".unpacked"

// unpacked unpacks a tar file into a folder, unless that has been done, and opens the folder. It closes f.
func unpacked(f *os.File, size int64, compressed bool, scratch string, l Limits) (*Opened, error) {
	mark := filepath.Join(scratch, unpackedMark)
	to := filepath.Join(scratch, "files")
	text, err := os.ReadFile(mark) //nolint:gosec // in a folder of the server's own
	if err != nil || string(text) != fmt.Sprint(size) {
		err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o700))
		if err == nil {
			err = unpack(f, size, compressed, to, l)
		}
		if err == nil {
			err = os.WriteFile(mark, fmt.Append(nil, size), 0o600)
		}
		if err != nil {
			return nil, errors.Join(err, f.Close(), os.RemoveAll(to))
		}
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return folder(to, l)
}

func unpack(f io.Reader, size int64, compressed bool, to string, l Limits) error {
	var from io.Reader = bufio.NewReaderSize(f, 1<<20)
	if compressed {
		z, err := gzip.NewReader(from)
		if err != nil {
			return damagedTar(err)
		}
		from = z
		l.Bytes = min(l.Bytes, max(smallFile, size*l.Expansion))
	}
	b, t := newBuilder(l), tar.NewReader(from)
	for {
		h, err := t.Next()
		if err == io.EOF { //nolint:errorlint // Next does not wrap it, and a wrapped one is unexpected
			_, err := io.Copy(io.Discard, from) // the checksum of the end
			return damagedTar(err)
		}
		if err != nil {
			return damagedTar(err)
		}
		switch h.Typeflag {
		case tar.TypeReg:
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		default:
			return importing.Unusable("the archive contains %.200q, which is a link or a device", h.Name)
		}
		name, ok, err := b.admit(h.Name, h.Size, 0)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := write(filepath.Join(to, filepath.FromSlash(name)), t, h.Size); err != nil {
			return err
		}
		b.files[name] = entry{}
	}
}

func damagedTar(err error) error {
	if err == nil {
		return nil
	}
	return importing.Unusable("the archive is damaged or incomplete: %v", err)
}

// write writes a file that does not exist yet.
func write(name string, from io.Reader, size int64) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return clash(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // admit has checked the name
	if err != nil {
		return clash(err)
	}
	n, err := io.Copy(f, from)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	err = errors.Join(err, f.Close())
	if err != nil && !errors.Is(err, os.ErrExist) && strings.Contains(err.Error(), "unexpected EOF") {
		return damagedTar(err)
	}
	return err
}

// clash explains the error for names that cannot exist beside each other.
func clash(err error) error {
	if errors.Is(err, os.ErrExist) || strings.Contains(err.Error(), "not a directory") {
		return importing.Unusable("the archive contains a file that is also a folder: %v", err)
	}
	return fmt.Errorf("unpack the archive: %w", err)
}
