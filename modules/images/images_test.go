package images_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

func TestModule(t *testing.T) { kittest.Check(t, images.Module, disk.Module) }

// flaky is a blob store that fails while down is set.
type flaky struct {
	ports.Blobs
	down atomic.Bool
}

var errDown = errors.New("the store is down")

func (f *flaky) Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error) {
	if f.down.Load() {
		return blob.Info{}, errs.New(errs.Unavailable, "Down.").Because(errDown)
	}
	return f.Blobs.Put(ctx, key, r, limit)
}

func (f *flaky) Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	if f.down.Load() {
		return nil, blob.Info{}, errs.New(errs.Unavailable, "Down.").Because(errDown)
	}
	return f.Blobs.Open(ctx, key, from, n)
}

func (f *flaky) Delete(ctx context.Context, keys ...string) error {
	if f.down.Load() {
		return errs.New(errs.Unavailable, "Down.").Because(errDown)
	}
	return f.Blobs.Delete(ctx, keys...)
}

func (f *flaky) Check(ctx context.Context) error {
	if f.down.Load() {
		return errs.New(errs.Unavailable, "Down.").Because(errDown)
	}
	return f.Blobs.Check(ctx)
}

// testPorts holds the ports used by the test.
type testPorts struct {
	fx.In
	Store ports.ImageStore
	Work  ports.UnitOfWork
}

type server struct {
	*kittest.Server
	injected testPorts
	store    *flaky
}

func start(t *testing.T, url string) *server {
	t.Helper()
	w := &server{store: &flaky{Blobs: disk.New(t.TempDir(), kittest.NewClock())}}
	store := kit.Adapter("blob", "flaky", "A store for tests.", kit.None{},
		func(kit.None, struct{ fx.In }) (ports.Blobs, error) { return w.store, nil })
	injector := kit.Define("injector", "Provides ports to the test.", kit.None{},
		func(_ kit.None, d testPorts) (kit.Parts, error) { w.injected = d; return kit.Parts{}, nil })
	w.Server = kittest.StartWith(t, kittest.Options{DatabaseURL: url}, store, images.Module, injector)
	return w
}

func (w *server) put(made ...picture.Made) []string {
	w.T.Helper()
	paths, err := w.injected.Store.Put(w.T.Context(), w.Realm, "emoji/images", made...)
	if err != nil {
		w.T.Fatal(err)
	}
	return paths
}

func (w *server) get(call string) *kittest.Response {
	return w.Anonymous().Under("").Send(call, "", nil)
}

// served checks whether the image at a path is served.
func (w *server) served(path string, want bool) {
	w.T.Helper()
	if a := w.get("GET " + path); (a.Status == 200) != want || !want && a.Status != 404 {
		w.T.Errorf("%s: %d", path, a.Status)
	}
}

func (w *server) claim(paths ...string) error {
	return w.injected.Work.Do(w.T.Context(), func(ctx context.Context) error {
		return w.injected.Store.Claim(ctx, paths...)
	})
}

func TestServed(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url)
		paths := w.put(picture.Made{Data: []byte("moves"), Ext: "gif"},
			picture.Made{Data: []byte("still"), Ext: "png", Suffix: "-still"})
		if len(paths) != 2 || !strings.HasPrefix(paths[0], "/user_avatars/1/emoji/images/") ||
			!strings.HasSuffix(paths[0], ".gif") || strings.TrimSuffix(paths[0], ".gif")+"-still.png" != paths[1] {
			t.Fatal(paths)
		}
		if more := w.put(picture.Made{Data: []byte("moves"), Ext: "gif"}); more[0] == paths[0] || len(more[0]) < 26 {
			t.Error("the name is guessable:", more)
		}
		a := w.get("GET " + paths[0] + "?version=2")
		if a.Status != 200 || a.Body != "moves" {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		for name, want := range map[string]string{
			"Content-Type": "image/gif", "Content-Length": "5", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; sandbox",
			"Cache-Control":           "public, max-age=31536000, immutable", "Set-Cookie": "",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
		if a := w.get("HEAD " + paths[1]); a.Status != 200 || a.Body != "" || a.Header.Get("Content-Length") != "5" ||
			a.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%d %v", a.Status, a.Header)
		}
		for _, call := range []string{"POST", "PUT", "DELETE"} {
			if a := w.get(call + " " + paths[0]); a.Status != http.StatusMethodNotAllowed {
				t.Errorf("%s: %d", call, a.Status)
			}
		}
		for _, path := range []string{
			"/user_avatars/", "/user_avatars", "/user_avatars/1", "/user_avatars/1/emoji/images/x.png",
			paths[0][:len(paths[0])-4], paths[0] + ".png",
			"/user_avatars/../secret.png", "/user_avatars/%2e%2e/%2e%2e/etc/passwd.png", "/user_avatars//etc/x.png",
			"/user_avatars/1/x.html", "/user_avatars/a%00.png",
		} {
			if a := w.get("GET " + path); a.Status != 404 {
				t.Errorf("%s: %d", path, a.Status)
			}
		}
		// A blob that is not an image is not served, even if it is stored among the images.
		if _, err := w.store.Put(t.Context(), "pictures/1/x.svg", strings.NewReader("<svg/>"), 9); err != nil {
			t.Fatal(err)
		}
		w.served("/user_avatars/1/x.svg", false)
	})
}

func TestSweep(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url)
		one := func() string { return w.put(picture.Made{Data: []byte("x"), Ext: "png"})[0] }
		used, unused, both, left := one(), one(), one(), one()
		if err := w.claim(used, both, left); err != nil {
			t.Fatal(err)
		}
		rollback := errors.New("torn")
		if err := w.injected.Work.Do(t.Context(), func(ctx context.Context) error { // a rolled-back change claims nothing
			return errors.Join(w.injected.Store.Claim(ctx, unused), rollback)
		}); !errors.Is(err, rollback) {
			t.Fatal(err)
		}
		w.Clock.Advance(23 * time.Hour)
		w.Do(func(ctx context.Context) error {
			return w.injected.Store.Release(ctx, both, "https://gravatar.com/x", "")
		})
		w.RunJob("images.remove unused")
		for _, p := range []string{used, unused, both, left} {
			w.served(p, true)
		}
		w.Clock.Advance(time.Hour)
		w.RunJob("images.remove unused")
		w.served(used, true)
		w.served(unused, false)
		w.served(both, true) // kept for another day
		if err := w.claim(unused); !errs.Is(err, errs.Unavailable) {
			t.Error("a deleted image was claimed:", err)
		}
		if err := w.claim(used); !errs.Is(err, errs.Unavailable) {
			t.Error("claimed twice:", err)
		}
		w.Clock.Advance(23 * time.Hour)
		w.RunJob("images.remove unused")
		w.served(both, false)
		w.served(left, true)
		w.RunJob("images.remove unused")
		w.served(used, true)

		// If the store fails during a removal, the image is removed later and cannot be claimed again.
		w.Do(func(ctx context.Context) error { return w.injected.Store.Release(ctx, left) })
		w.Clock.Advance(25 * time.Hour)
		w.store.down.Store(true)
		if err := w.App.RunJob(t.Context(), "images.remove unused"); err == nil {
			t.Error("a failure was not reported")
		}
		w.store.down.Store(false)
		w.served(left, true)
		if err := w.claim(left); !errs.Is(err, errs.Unavailable) {
			t.Error("an image being removed was claimed:", err)
		}
		w.RunJob("images.remove unused")
		w.served(left, false)
		w.served(used, true)

		// More than one batch.
		var many []string
		for range 250 {
			many = append(many, one())
		}
		w.Clock.Advance(25 * time.Hour)
		w.RunJob("images.remove unused")
		for _, p := range many {
			w.served(p, false)
		}
	})
}

// A client that requests too many images is limited for images only. Other clients are not affected.
func TestTooManyRequests(t *testing.T) {
	w := &server{}
	w.Server = kittest.StartWith(t, kittest.Options{Config: "http: {trusted_proxies: [127.0.0.1], rate_limits: {files: " +
		"3}}"}, disk.Module, images.Module)
	for i := range 4 {
		path := picture.Medium(picture.Generated(strconv.Itoa(i)))
		if i%2 == 1 {
			path = "/user_avatars/1/made-up.png"
		}
		want := []int{200, 404, 200, 429}[i]
		status, h, body := w.Page("GET", path, nil, "X-Forwarded-For", "192.0.2.1")
		if status != want || want == 429 && (!strings.Contains(body, "RATE_LIMIT_HIT") || h.Get("Retry-After") == "") {
			t.Errorf("%d: %d %v %s", i, status, h, body)
		}
	}
	for path, from := range map[string]string{picture.Generated("x"): "192.0.2.2", "/health": "192.0.2.1"} {
		if status, _, _ := w.Page("GET", path, nil, "X-Forwarded-For", from); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// While the blob store is down, the server continues to run, reports the problem and stores no partial data.
func TestStoreIsDown(t *testing.T) {
	w := start(t, "")
	path := w.put(picture.Made{Data: []byte("x"), Ext: "png"})[0]
	w.get("GET /health").Is(200, `{"result":"success","msg":"","status":"ok","checks":{"server.database":"ok",`+
		`"server.disk":"ok","server.modules":"ok","adapters.blob":"ok"}}`)
	w.store.down.Store(true)
	w.get("GET /health").Is(200, `{"result":"success","msg":"","status":"degraded","checks":{"server.database":"ok",`+
		`"server.disk":"ok","server.modules":"ok","adapters.blob":"failing"}}`)
	if a := w.get("GET " + path); a.Status != 503 || a.Header.Get("Retry-After") == "" ||
		strings.Contains(a.Header.Get("Cache-Control"), "public") {
		t.Errorf("%d %v", a.Status, a.Header)
	}
	_, err := w.injected.Store.Put(t.Context(), w.Realm, "x", picture.Made{Data: []byte("x"), Ext: "png"})
	if !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
	w.store.down.Store(false)
	w.served(path, true)
}
