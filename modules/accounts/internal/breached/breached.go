// Package breached looks passwords up in a list of those that are known from data breaches of other services.
package breached

import (
	"bytes"
	"crypto/sha1" // #nosec G505 -- the format of the lists; the list is public, and the passwords are in it
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// List is the path of a file of SHA-1 hashes of passwords in hexadecimal, or prefixes of them, one per line in order.
// Anything after a colon is ignored, so lists from haveibeenpwned.com work unchanged. The file is searched on
// disk and never loaded into memory. An empty path means that there is no list.
type List string

const (
	minDigits = 12  // of a sum; fewer would match other passwords
	maxLine   = 128 // bytes
)

// Contains reports whether a list contains a password. Errors: the file cannot be read, or is not such a list.
func (l List) Contains(password string) (found bool, err error) {
	if l == "" {
		return false, nil
	}
	f, err := os.Open(string(l))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is not a file", l)
	}
	sum := sha1.Sum([]byte(password)) // #nosec G401 -- see above
	return l.search(f, info.Size(), strings.ToUpper(hex.EncodeToString(sum[:])))
}

// search looks for a sum between the lines that are known to be before it, and after it.
func (l List) search(f io.ReaderAt, size int64, sum string) (bool, error) {
	begin, end := int64(0), size
	below, above := "", strings.Repeat("~", len(sum)) // sums of the nearest lines that were read
	for begin < end {
		middle := begin + (end-begin)/2
		at, line, err := lineFrom(f, middle)
		if err != nil {
			return false, fmt.Errorf("%s: %w", l, err)
		}
		if at >= end { // the last line before end begins before the middle
			end = middle
			continue
		}
		digits, err := digitsOf(line)
		switch {
		case err != nil:
			return false, fmt.Errorf("%s: byte %d: %w", l, at, err)
		case digits < below || digits > above:
			return false, fmt.Errorf("%s: byte %d: the lines are not in ascending order", l, at)
		case strings.HasPrefix(sum, digits):
			return true, nil
		case digits < sum:
			begin, below = at+int64(len(line)), digits
		default:
			end, above = at, digits
		}
	}
	return false, nil
}

// lineFrom returns the first line that begins at an offset or after it, with its end, and where it begins. At the end
// of the file, the line is empty.
func lineFrom(f io.ReaderAt, offset int64) (int64, []byte, error) {
	var block [2*maxLine + 1]byte
	from := max(offset-1, 0) // the byte before shows whether a line begins at offset
	n, err := f.ReadAt(block[:], from)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, err
	}
	rest, last := block[:n], n < len(block)
	if offset > 0 {
		i := bytes.IndexByte(rest, '\n')
		switch {
		case i < 0 && last:
			return from + int64(n), nil, nil
		case i < 0 || i > maxLine:
			return 0, nil, fmt.Errorf("byte %d: the line is too long", from)
		}
		rest, from = rest[i+1:], from+int64(i+1)
	}
	i := bytes.IndexByte(rest, '\n')
	switch {
	case i >= 0 && i <= maxLine:
		return from, rest[:i+1], nil
	case i < 0 && last && len(rest) <= maxLine:
		return from, rest, nil
	}
	return 0, nil, fmt.Errorf("byte %d: the line is too long", from)
}

// digitsOf returns the digits of a line, in upper case.
func digitsOf(line []byte) (string, error) {
	text, _, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
	text = strings.ToUpper(text)
	if len(text) < minDigits || len(text) > hex.EncodedLen(sha1.Size) ||
		strings.Trim(text, "0123456789ABCDEF") != "" {
		return "", errors.New("want a SHA-1 sum in hexadecimal digits, or at least the first 12 of them")
	}
	return text, nil
}
