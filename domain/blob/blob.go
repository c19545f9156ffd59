// Package blob describes bytes stored under keys outside the database, such as pictures and uploaded files
// (ports.Blobs).
package blob

import (
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// Info describes a stored blob.
type Info struct {
	Size int64 // bytes, of the whole blob
}

// Entry is a blob in a listing.
type Entry struct {
	Key      string
	Size     int64 // bytes
	Modified time.Time
}

// ProbePrefix begins the keys of blobs that exist for a moment, to find out whether a store works.
const ProbePrefix = "probe/"

// Moved is the progress of moving blobs from one store to another.
type Moved struct {
	Files, OfFiles int
	Bytes, OfBytes int64
}

// Serve holds the headers of a response that delivers a blob.
type Serve struct {
	Type        string // Content-Type
	Disposition string // Content-Disposition
	Cache       string // Cache-Control
}

// Maximum lengths of a key and of its segments, in bytes. All file systems and object stores accept them.
const (
	maxKey     = 900
	maxSegment = 200
)

// CheckKey validates a key: segments separated by slashes, none empty or beginning with a dot, and no characters that
// are special in a file system. A valid key appended to a directory stays within it. Errors: BadRequest.
func CheckKey(key string) error {
	if len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsFunc(key, forbidden) {
		return badKey()
	}
	for s := range strings.SplitSeq(key, "/") {
		if s == "" || s[0] == '.' || len(s) > maxSegment || strings.HasSuffix(s, ".") {
			return badKey()
		}
	}
	return nil
}

func forbidden(r rune) bool {
	return unicode.IsControl(r) || strings.ContainsRune(`\:*?"<>|`, r)
}

func badKey() error { return errs.Bad("Invalid key of a stored file") }

// Missing returns the error for a key without a blob.
func Missing() error { return errs.New(errs.NotFound, "There is no such file") }

// TooLarge returns the error for more than limit bytes.
func TooLarge(limit int64) error {
	return errs.New(errs.TooLarge, "The file is too large; at most %d bytes are accepted.", limit)
}

// Span returns the number of bytes available from an offset, at most n unless n is negative. Errors: BadRequest for
// an offset outside the blob.
func Span(size, from, n int64) (int64, error) {
	if from < 0 || from > size {
		return 0, errs.Bad("The requested range is outside the file")
	}
	if left := size - from; n < 0 || n > left {
		return left, nil
	}
	return n, nil
}

// Limited returns a reader of r that fails with TooLarge after limit bytes.
func Limited(r io.Reader, limit int64) io.Reader { return &limited{r, limit, limit} }

type limited struct {
	r           io.Reader
	left, limit int64
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 { // one byte more reveals an overrun
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		return int(l.left), TooLarge(l.limit)
	}
	l.left -= int64(n)
	return n, err
}

// Exactly returns a reader of the first n bytes of r, which fails with io.ErrUnexpectedEOF if r is shorter.
func Exactly(r io.Reader, n int64) io.Reader { return &exactly{r, n} }

type exactly struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > e.left {
		p = p[:e.left]
	}
	n, err := e.r.Read(p)
	if e.left -= int64(n); err == io.EOF {
		if err = nil; e.left > 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}
