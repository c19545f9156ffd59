package blob_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
)

func TestCheckKey(t *testing.T) {
	for _, good := range []string{"a", "2/emoji/images/x-1_2.png", "1/ä/Bild 1.jpeg", strings.Repeat("a", 200),
		strings.Repeat("a/", 449) + "ab"} {
		if err := blob.CheckKey(good); err != nil {
			t.Errorf("%.40q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", ".tmp/x", "a/.b", "a\x00b", "a\nb", `a\b`, `C:a`,
		"a?b", "a.", "x\xff",
		strings.Repeat("a", 201), strings.Repeat("a/", 450) + "a",
	} {
		if err := blob.CheckKey(bad); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct{ size, from, n, want int64 }{
		{10, 0, -1, 10}, {10, 0, 4, 4}, {10, 4, 4, 4}, {10, 8, 4, 2}, {10, 10, -1, 0}, {10, 0, 0, 0}, {0, 0, -1, 0},
		{10, 11, 1, -1}, {10, -1, 1, -1},
	} {
		got, err := blob.Span(c.size, c.from, c.n)
		if c.want < 0 {
			if !errs.Is(err, errs.BadRequest) {
				t.Errorf("%+v: %d, %v", c, got, err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}

func TestLimited(t *testing.T) {
	for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader,
		iotest.DataErrReader} {
		b, err := io.ReadAll(blob.Limited(wrap(strings.NewReader("12345")), 5))
		if string(b) != "12345" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
		if b, err = io.ReadAll(blob.Limited(wrap(strings.NewReader("123456")), 5)); string(b) != "12345" ||
			!errs.Is(err, errs.TooLarge) {
			t.Errorf("%q, %v", b, err)
		}
		b, err = io.ReadAll(blob.Exactly(wrap(strings.NewReader("123456")), 5))
		if string(b) != "12345" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
		if b, err = io.ReadAll(blob.Exactly(wrap(strings.NewReader("1234")), 5)); string(b) != "1234" ||
			!errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q, %v", b, err)
		}
	}
}
