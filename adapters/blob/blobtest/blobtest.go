// Package blobtest tests adapters against the contract of ports.Blobs.
package blobtest

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

const limit = 64 << 20

// Run runs the contract's tests on an empty store.
func Run(t *testing.T, b ports.Blobs) {
	t.Run("put and open", func(t *testing.T) { putAndOpen(t, b) })
	t.Run("parts", func(t *testing.T) { parts(t, b) })
	t.Run("limits", func(t *testing.T) { limits(t, b) })
	t.Run("broken", func(t *testing.T) { broken(t, b) })
	t.Run("delete", func(t *testing.T) { remove(t, b) })
	t.Run("keys", func(t *testing.T) { keys(t, b) })
	t.Run("list", func(t *testing.T) { list(t, b) })
	t.Run("check", func(t *testing.T) {
		if err := b.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Put stores text under key.
func Put(t *testing.T, b ports.Blobs, key, text string) {
	t.Helper()
	info, err := b.Put(t.Context(), key, strings.NewReader(text), limit)
	if err != nil || info.Size != int64(len(text)) {
		t.Fatalf("put %s: %+v, %v", key, info, err)
	}
}

// Is checks that the blob under key contains want, or that there is none if want is "-".
func Is(t *testing.T, b ports.Blobs, key, want string) {
	t.Helper()
	r, info, err := b.Open(t.Context(), key, 0, -1)
	if want == "-" {
		if !errs.Is(err, errs.NotFound) {
			t.Fatalf("%s is there, or: %v", key, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("open %s: %v", key, err)
	}
	got, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || string(got) != want || info.Size != int64(len(want)) {
		t.Fatalf("%s: %.40q (%d bytes, told %d), want %.40q; %v", key, got, len(got), info.Size, want, err)
	}
}

func putAndOpen(t *testing.T, b ports.Blobs) {
	Is(t, b, "a/b.txt", "-")
	Put(t, b, "a/b.txt", "first")
	Is(t, b, "a/b.txt", "first")
	Put(t, b, "a/b.txt", "and second")
	Is(t, b, "a/b.txt", "and second")
	Put(t, b, "a/empty", "")
	Is(t, b, "a/empty", "")
	Put(t, b, "1/ä/Ein Bild ~ +%25&=.jpeg", "x")
	Is(t, b, "1/ä/Ein Bild ~ +%25&=.jpeg", "x")
	Is(t, b, "a", "-")

	large := strings.Repeat("0123456789abcdef", 12<<16) // 12 MiB, more than one part in an object store
	Put(t, b, "large", large)
	r, info, err := b.Open(t.Context(), "large", 0, -1)
	if err != nil || info.Size != int64(len(large)) {
		t.Fatalf("%+v, %v", info, err)
	}
	defer func() { _ = r.Close() }()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, []byte(large)) {
		t.Errorf("%d of %d bytes, %v", len(got), len(large), err)
	}
}

func parts(t *testing.T, b ports.Blobs) {
	Put(t, b, "parts", "0123456789")
	for _, c := range []struct {
		from, n int64
		want    string
	}{{0, -1, "0123456789"}, {0, 3, "012"}, {3, 4, "3456"}, {8, 5, "89"}, {9, -1, "9"}, {10, -1, ""}, {10, 1, ""},
		{4, 0, ""}} {
		r, info, err := b.Open(t.Context(), "parts", c.from, c.n)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(got) != c.want || info.Size != 10 {
			t.Errorf("%+v: %q of %d, %v", c, got, info.Size, err)
		}
	}
	for _, from := range []int64{11, -1} {
		if _, _, err := b.Open(t.Context(), "parts", from, 1); !errs.Is(err, errs.BadRequest) {
			t.Errorf("from %d: %v", from, err)
		}
	}
	if _, _, err := b.Open(t.Context(), "none", 1, 1); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}

func limits(t *testing.T, b ports.Blobs) {
	Put(t, b, "limit", "before")
	for _, size := range []int{11, 6 << 20} {
		if _, err := b.Put(t.Context(), "limit", io.LimitReader(zeros{}, int64(size)), int64(size)-1); !errs.Is(err,
			errs.TooLarge) {
			t.Errorf("%d bytes: %v", size, err)
		}
		Is(t, b, "limit", "before")
	}
	if info, err := b.Put(t.Context(), "limit", strings.NewReader("exact"), 5); err != nil || info.Size != 5 {
		t.Error(info, err)
	}
	Is(t, b, "limit", "exact")
}

type zeros struct{}

// Read fills p with zeros and never ends.
func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// broken checks that a failing reader or a canceled context leaves the previous blob unchanged.
func broken(t *testing.T, b ports.Blobs) {
	Put(t, b, "broken", "before")
	torn := errors.New("torn")
	for _, size := range []int64{0, 3, 7 << 20} {
		for _, why := range []error{torn, io.ErrUnexpectedEOF} { // the second is a client's broken connection
			r := io.MultiReader(io.LimitReader(zeros{}, size), iotest.ErrReader(why))
			if _, err := b.Put(t.Context(), "broken", r, limit); !errors.Is(err, why) {
				t.Errorf("after %d bytes: %v, want %v", size, err, why)
			}
			Is(t, b, "broken", "before")
		}
	}
	if _, err := b.Put(t.Context(), "broken2", iotest.ErrReader(torn), limit); !errors.Is(err, torn) {
		t.Error(err)
	}
	Is(t, b, "broken2", "-")
}

func remove(t *testing.T, b ports.Blobs) {
	Put(t, b, "d/1", "x")
	Put(t, b, "d/2", "x")
	Put(t, b, "d/3", "x")
	if err := b.Delete(t.Context(), "d/1", "d/none", "d/2"); err != nil {
		t.Fatal(err)
	}
	Is(t, b, "d/1", "-")
	Is(t, b, "d/2", "-")
	Is(t, b, "d/3", "x")
	if err := errors.Join(b.Delete(t.Context()), b.Delete(t.Context(), "d/1")); err != nil {
		t.Error(err)
	}
}

func keys(t *testing.T, b ports.Blobs) {
	for _, key := range []string{"", "..", "../x", "/etc/passwd", "a/../../x", "a/.x", "a\x00", "a//b"} {
		if _, err := b.Put(t.Context(), key, strings.NewReader("x"), limit); !errs.Is(err, errs.BadRequest) {
			t.Errorf("put %q: %v", key, err)
		}
		if _, _, err := b.Open(t.Context(), key, 0, -1); !errs.Is(err, errs.NotFound) {
			t.Errorf("open %q: %v", key, err)
		}
		if err := b.Delete(t.Context(), key); err != nil {
			t.Errorf("delete %q: %v", key, err)
		}
	}
}

// list checks that keys are listed in byte order. A folder sorts as if its name ended with a slash.
func list(t *testing.T, b ports.Blobs) {
	want := []string{"l/a-b", "l/a.b", "l/a/b", "l/a/c/d", "l/a0", "l/b/ä", "l/b/ö x+%25"}
	for i, key := range want {
		Put(t, b, key, strings.Repeat("x", i))
	}
	Put(t, b, "m", "x")
	keysOf := func(prefix, after string) []string {
		t.Helper()
		var got []string
		for e, err := range b.Keys(t.Context(), prefix, after) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(e.Key, "l/") {
				if i := slices.Index(want, e.Key); int64(i) != e.Size || e.Modified.IsZero() {
					t.Errorf("%+v", e)
				}
			}
			got = append(got, e.Key)
		}
		return got
	}
	for _, c := range []struct {
		prefix, after string
		want          []string
	}{
		{"l/", "", want}, {"l/a", "", want[:5]}, {"l/a/", "", want[2:4]}, {"l/b/ä", "", want[5:6]}, {"none/", "", nil},
		{"l/", "l/a", want}, {"l/", "l/a.b", want[2:]}, {"l/", "l/a/b", want[3:]}, {"l/", "l/a/bb", want[3:]},
		{"l/", "l/zzz", nil},
		{"l/a", "l/a/c/d", want[4:5]},
	} {
		if got := keysOf(c.prefix, c.after); !slices.Equal(got, c.want) {
			t.Errorf("prefix %q after %q: %q, want %q", c.prefix, c.after, got, c.want)
		}
	}
	if all := keysOf("", ""); !slices.Contains(all, "m") || !slices.IsSorted(all) {
		t.Errorf("all: %q", all)
	}
	for _, err := range b.Keys(t.Context(), "l/", "") {
		if err != nil {
			t.Error(err)
		}
		break // stopping the loop early must stop the listing
	}
}
