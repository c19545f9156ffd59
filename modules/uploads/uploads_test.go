package uploads_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/uploads"
	"github.com/stoachat/stoa/ports"
)

func dependencies() []kit.Module {
	return []kit.Module{realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, disk.Module,
		images.Module}
}

func TestModule(t *testing.T) { kittest.Check(t, uploads.Module, dependencies()...) }

// fakeBlobs is a blob store that counts its blobs and can be made to fail.
type fakeBlobs struct {
	ports.Blobs
	down    atomic.Bool  // all operations fail
	full    atomic.Bool  // writes fail
	noReads atomic.Bool  // reads fail
	count   atomic.Int64 // number of blobs
	open    atomic.Int64 // number of blobs being written
}

func (s *fakeBlobs) Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error) {
	if s.down.Load() {
		return blob.Info{}, errs.New(errs.Unavailable, "Files can't be stored or read at the moment; please try again.")
	}
	if s.full.Load() { // like a disk that fills up after the first bytes
		_, _ = io.CopyN(io.Discard, r, 3)
		return blob.Info{}, errs.New(errs.Unavailable, "Files can't be stored or read at the moment; please try again.")
	}
	s.open.Add(1)
	defer s.open.Add(-1)
	info, err := s.Blobs.Put(ctx, key, r, limit)
	if err == nil {
		s.count.Add(1)
	}
	return info, err
}

func (s *fakeBlobs) Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	if s.down.Load() || s.noReads.Load() {
		return nil, blob.Info{}, errs.New(errs.Unavailable, "Files can't be stored or read at the moment; please try again.")
	}
	return s.Blobs.Open(ctx, key, from, n)
}

func (s *fakeBlobs) Delete(ctx context.Context, keys ...string) error {
	if s.down.Load() {
		return errs.New(errs.Unavailable, "Down.")
	}
	for _, k := range keys {
		if r, _, err := s.Blobs.Open(ctx, k, 0, 0); err == nil {
			_ = r.Close()
			s.count.Add(-1)
		}
	}
	return s.Blobs.Delete(ctx, keys...)
}

// testServer is a server with the module uploads and a blob store that can fail.
type testServer struct {
	*kittest.Server
	blobs    *fakeBlobs
	settings ports.RealmSettings
}

func start(t *testing.T, url, config string, more ...kit.Module) *testServer {
	t.Helper()
	w := &testServer{blobs: &fakeBlobs{Blobs: disk.New(t.TempDir(), kittest.NewClock())}}
	store := kit.Adapter("blob", "counted", "A store for tests.", kit.None{},
		func(kit.None, struct{ fx.In }) (ports.Blobs, error) { return w.blobs, nil })
	hand := kit.Define("hand", "Hands a port to the test.", kit.None{}, func(_ kit.None, n struct {
		fx.In
		Settings ports.RealmSettings
	},
	) (kit.Parts, error) {
		w.settings = n.Settings
		return kit.Parts{}, nil
	})
	w.Server = kittest.StartWith(t, kittest.Options{DatabaseURL: url, Config: config, Log: slog.New(slog.DiscardHandler)},
		append(more, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module,
			images.Module, store, hand,
			uploads.Module)...)
	return w
}

// file uploads a file and returns its path.
func (w *testServer) file(who, name, content string) string {
	w.T.Helper()
	return w.As(who).Upload("POST /user_uploads", name, []byte(content)).OK().String("url")
}

func (w *testServer) get(who, path string) *kittest.Response {
	w.T.Helper()
	return w.As(who).Under("").Send("GET "+path, "", nil)
}

// checkReaders checks that exactly the given users can read a file, and that all others get the same response as for a
// missing file.
func (w *testServer) checkReaders(path string, who ...string) {
	w.T.Helper()
	for _, name := range []string{"alice", "bob", "olga", "adam", "guest", "bot"} {
		a := w.get(name, path)
		if strings.Contains(strings.Join(who, " "), name) {
			if a.Status != 200 {
				w.T.Errorf("%s can't read %s: %d %s", name, path, a.Status, a.Body)
			}
			continue
		}
		if none := w.get(name, path+"x"); a.Status != 404 || a.Body != none.Body || len(a.Header) != len(none.Header) {
			w.T.Errorf("%s reads %s: %d %s; for a missing file %s", name, path, a.Status, a.Body, none.Body)
		}
	}
}

func (w *testServer) send(who, channel, content string) int64 {
	w.T.Helper()
	return w.As(who).Do("POST /messages", "type", "channel", "to", fmt.Sprintf("%q", channel), "topic", "t", "content",
		content).OK().Int("id")
}

func (w *testServer) direct(who, to, content string) int64 {
	w.T.Helper()
	return w.As(who).Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", w.UserID(to)), "content",
		content).OK().Int("id")
}

func id(n int64) string { return fmt.Sprint(n) }

func pathID(url string) string { return strings.TrimPrefix(url, "/user_uploads/") }

func TestUpload(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		a := w.As("alice").Upload("POST /user_uploads", "Bild  (1).png", []byte("not a picture")).OK()
		path := a.String("url")
		if !strings.HasPrefix(path, "/user_uploads/1/") || !strings.HasSuffix(path, "/Bild-1.png") {
			t.Error(path)
		}
		a.Is(200, `{"result":"success","msg":"","url":"`+path+`","uri":"`+path+`","filename":"Bild  (1).png"}`)
		w.Events(`attachment/add user:alice {"attachment":{"id":1,"name":"Bild  (1).png","path_id":"` + pathID(path) +
			`","size":13,"create_time":"*","message_ids":[]},"upload_space_used":13}`)
		if own := w.get("alice", path); own.Status != 200 || own.Body != "not a picture" {
			t.Errorf("%d %s", own.Status, own.Body)
		}
		w.checkReaders(path, "alice")
		for _, who := range []string{"guest", "bot"} {
			w.checkReaders(w.file(who, "x.txt", "x"), who)
		}
		if w.blobs.count.Load() != 3 {
			t.Errorf("%d blobs", w.blobs.count.Load())
		}
		if n := w.As("alice").Do("POST /register", "fetch_event_types",
			`["realm"]`).Int("max_file_upload_size_mib"); n != 100 {
			t.Error(n)
		}
	})
}
