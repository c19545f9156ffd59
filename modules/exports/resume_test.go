package exports_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/exports"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// failingBlobs is a blob store that can fail.
type failingBlobs struct {
	ports.Blobs
	writes int // remaining successful writes of archive parts; negative: unlimited
}

func (s *failingBlobs) Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error) {
	if strings.HasPrefix(key, "exports/") {
		if s.writes == 0 { // as if the server crashed before it recorded the blob
			_, _ = s.Blobs.Put(ctx, key, r, limit)
			return blob.Info{}, errs.New(
				errs.Unavailable,
				"Files can't be stored or read at the moment; please try again.",
			)
		}
		s.writes--
	}
	return s.Blobs.Put(ctx, key, r, limit)
}

// module provides the blob store.
func (s *failingBlobs) module(dir string) kit.Module {
	type needs struct {
		fx.In
		Clock ports.Clock
	}
	return kit.Adapter(
		"blob",
		"stored",
		"Stores blobs in a test.",
		kit.None{},
		func(_ kit.None, n needs) (ports.Blobs, error) {
			s.Blobs = disk.New(dir, n.Clock)
			return s, nil
		},
	)
}

// keys lists the blobs of archives.
func (s *failingBlobs) keys(t *testing.T) []string {
	t.Helper()
	var keys []string
	for e, err := range s.Keys(t.Context(), "exports/", "") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
	}
	return keys
}

// startBroken starts a server with files of several parts, and a log in which errors are permitted.
func startBroken(t *testing.T) (*kittest.Server, *failingBlobs, map[string][]byte) {
	t.Helper()
	b := &failingBlobs{writes: -1}
	s := kittest.StartWith(
		t,
		kittest.Options{Config: "modules: {exports: {part_mib: 1}}", Log: slog.New(slog.DiscardHandler)},
		append(dependencies(), b.module(t.TempDir()), exports.Module)...)
	files, dice := map[string][]byte{}, rand.NewChaCha8([32]byte{})
	for i := range 5 {
		content := make([]byte, 900_000)
		_, _ = dice.Read(content)
		url := s.As("alice").Upload("POST /user_uploads", fmt.Sprintf("%d.bin", i), content).OK().String("url")
		s.As("alice").
			Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "[x]("+url+")").
			OK()
		files[strings.TrimPrefix(url, "/user_uploads/")] = content
	}
	return s, b, files
}

// An export that is interrupted by a failing store or a restart continues where it stopped. The blob of an incomplete
// part is removed.
func TestResume(t *testing.T) {
	s, b, files := startBroken(t)
	adam := s.As("adam")
	id := adam.Do("POST /export/realm").OK().Int("id")
	b.writes = 2
	if err := s.App.RunJob(t.Context(), "exports.write"); err == nil {
		t.Error("the job does not report that it failed")
	}
	before := b.keys(t)
	if len(before) != 3 { // including the incomplete one
		t.Fatalf("parts: %v", before)
	}
	s.Restart()
	b.writes = -1
	s.RunJob("exports.write") // not due yet
	if got := b.keys(t); len(got) != 3 {
		t.Errorf("retried immediately: %v", got)
	}
	s.Clock.Advance(10 * time.Second)
	s.RunJob("exports.write")
	s.RunJob("exports.remove")
	kept, sum := 0, int64(0)
	for e, err := range b.Keys(t.Context(), "exports/", "") {
		if err != nil {
			t.Fatal(err)
		}
		sum += e.Size
		if slices.Contains(before, e.Key) {
			kept++
		}
	}
	if kept != 2 {
		t.Errorf("%d parts were not rewritten", kept)
	}
	whole := download(t, s, adam, id)
	if sum != int64(len(whole)) {
		t.Errorf("an archive of %d bytes, in blobs of %d", len(whole), sum)
	}
	u := unpack(t, whole)
	for _, a := range u.lines["attachments"] {
		if got := u.files[a["file"].(string)]; !bytes.Equal(got, files[a["path_id"].(string)]) {
			t.Errorf("%v has different content: %d", a, len(got))
		}
	}
	if n := len(u.lines["attachments"]); n != len(files) {
		t.Errorf("%d files", n)
	}

	// Ranges, including some that span parts.
	path := strings.TrimPrefix(adam.Do("GET /export/realm").OK().String("exports.0.export_url"), s.URL)
	for _, r := range [][2]int{{0, 0}, {1_000_000, 3_000_000}, {len(whole) - 5, len(whole) - 1}, {917_000, 917_999}} {
		req := adam.Under("").Request("GET "+path, http.NoBody)
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", r[0], r[1]))
		a := adam.RoundTrip(req)
		if a.Status != 206 || a.Body != string(whole[r[0]:r[1]+1]) {
			t.Errorf("%v: %d, %d bytes", r, a.Status, len(a.Body))
		}
	}
}

// An export that cannot be written is eventually marked as failed, and leaves no blobs.
func TestFailure(t *testing.T) {
	s, b, _ := startBroken(t)
	adam := s.As("adam")
	id := adam.Do("POST /export/realm").OK().Int("id")
	b.writes = 1
	tries := 0
	for failed := false; !failed && tries < 20; tries++ {
		q := adam.Register("event_types", `["realm_export"]`)
		_ = s.App.RunJob(t.Context(), "exports.write")
		a := adam.Do("GET /export/realm").OK()
		if failed = a.Get("exports.0.failed_timestamp") != nil; failed {
			q.Is(`{"type":"realm_export","exports":"*"}`)
			if a.Get("exports.0.pending") != false || a.Get("exports.0.export_url") != nil {
				t.Error(a.Body)
			}
		} else {
			q.Is()
		}
		s.Clock.Advance(time.Hour)
	}
	if tries < 8 || tries == 20 {
		t.Errorf("failed after %d attempts", tries)
	}
	adam.Do(fmt.Sprintf("DELETE /export/realm/%d", id)).
		Error(400, "BAD_REQUEST", "The export has failed; there is nothing to delete")
	s.RunJob("exports.remove")
	if got := b.keys(t); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
	b.writes = -1
	export(t, s, adam)
}
