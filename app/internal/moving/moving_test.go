package moving_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/blob/s3"
	"github.com/stoachat/stoa/app/internal/moving"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// clock is a clock with a fixed time.
type clock struct{ at time.Time }

func (c clock) Now() time.Time { return c.at }

func stores(t *testing.T) (files, bucket ports.Blobs) {
	t.Helper()
	b := blobtest.S3(t)
	c := s3.Defaults()
	c.Endpoint, c.Region, c.Bucket = b.Endpoint, b.Region, b.Name
	c.AccessKey, c.SecretKey = kit.Secret(b.AccessKey), kit.Secret(b.SecretKey)
	bucket, err := s3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return disk.New(t.TempDir(), clock{time.Now()}), bucket
}

func TestContract(t *testing.T) {
	files, bucket := stores(t)
	blobtest.Run(t, moving.New(files, bucket))
}

// While blobs are moved back and forth, others are read, written and deleted. All blobs stay readable, deleted ones do
// not reappear, and an interrupted move continues.
func TestMove(t *testing.T) {
	files, bucket := stores(t)
	for _, way := range [][2]ports.Blobs{{files, bucket}, {bucket, files}} {
		from, to := way[0], way[1]
		all := moving.New(from, to)
		const n = 60
		key := func(i int) string { return "uploads/" + strconv.Itoa(i%7) + "/" + strconv.Itoa(i) }
		text := func(i int) string { return strings.Repeat(strconv.Itoa(i), 1000) }
		for i := range n {
			blobtest.Put(t, from, key(i), text(i))
		}
		probe := blob.ProbePrefix + "of another server"
		blobtest.Put(t, from, probe, "x") // does not move
		ctx, stop := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		var failed error
		readers.Go(func() {
			for i := 0; ctx.Err() == nil; i = (i + 1) % (n - 10) {
				r, _, err := all.Open(t.Context(), key(i), 0, -1)
				if err == nil {
					var b []byte
					if b, err = io.ReadAll(r); err == nil && string(b) != text(i) {
						err = errors.New("other bytes")
					}
					_ = r.Close()
				}
				if err != nil {
					failed = err
					return
				}
			}
		})
		halfway, halt := context.WithCancel(t.Context())
		var last blob.Moved
		err := all.Move(halfway, func(m blob.Moved) {
			if last = m; m.Files == n/2 {
				halt()
			}
		})
		if err == nil || last.Files != n/2 || last.OfFiles != n {
			t.Errorf("stopped: %+v, %v", last, err)
		}
		for i := n - 10; i < n; i++ {
			if err := all.Delete(t.Context(), key(i)); err != nil {
				t.Fatal(err)
			}
		}
		blobtest.Put(t, all, "uploads/new", "new")
		if err := all.Move(t.Context(), func(m blob.Moved) { last = m }); err != nil || last.Files != last.OfFiles ||
			last.Bytes != last.OfBytes {
			t.Errorf("%+v, %v", last, err)
		}
		stop()
		readers.Wait()
		if failed != nil {
			t.Error("unreadable during the move:", failed)
		}
		for i := range n {
			blobtest.Is(t, from, key(i), "-")
			want := text(i)
			if i >= n-10 {
				want = "-"
			}
			blobtest.Is(t, to, key(i), want)
			blobtest.Is(t, all, key(i), want)
		}
		blobtest.Is(t, to, "uploads/new", "new")
		blobtest.Is(t, to, probe, "-")
		_ = from.Delete(t.Context(), probe)
		for i := range n { // for moving them back
			_ = to.Delete(t.Context(), key(i), "uploads/new")
		}
	}
}

// down is a store that cannot be reached.
type down struct{ ports.Blobs }

func (down) Open(context.Context, string, int64, int64) (io.ReadCloser, blob.Info, error) {
	return nil, blob.Info{}, errs.New(errs.Unavailable, "Down.")
}

// Blobs that have not been moved can be read while the new store is unreachable. Missing blobs are then Unavailable.
func TestNewStoreDown(t *testing.T) {
	old := disk.New(t.TempDir(), clock{time.Now()})
	blobtest.Put(t, old, "a", "abc")
	all := moving.New(old, down{old})
	blobtest.Is(t, all, "a", "abc")
	if _, _, err := all.Open(t.Context(), "b", 0, -1); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
}

// Nothing moves within one store, or into a part of itself.
func TestSameStore(t *testing.T) {
	at := t.TempDir()
	whole, again := disk.New(at, clock{time.Now()}), disk.New(at+"/.", clock{time.Now()})
	part := disk.New(filepath.Join(at, "part"), clock{time.Now()})
	blobtest.Put(t, whole, "a", "abc")
	for _, to := range []ports.Blobs{again, part} {
		err := moving.New(whole, to).Move(t.Context(), func(blob.Moved) {})
		if err == nil || !strings.Contains(err.Error(), "both stores are the same") {
			t.Error(err)
		}
		blobtest.Is(t, whole, "a", "abc")
	}
	for e := range whole.Keys(t.Context(), "", "") {
		if e.Key != "a" {
			t.Errorf("%s is left", e.Key)
		}
	}
}
