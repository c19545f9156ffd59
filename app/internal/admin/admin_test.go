package admin

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
)

type greeting struct {
	Name string `json:"name"`
}

// running returns a started server with a route that greets.
func running(t *testing.T, dir string) *Server {
	t.Helper()
	s := New(dir)
	s.Handle("POST /greet", JSON(func(_ context.Context, in greeting) (greeting, error) {
		if in.Name == "" {
			return in, errs.Bad("--name: is missing")
		}
		return greeting{"Hello " + in.Name}, nil
	}))
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCall(t *testing.T) {
	dir := t.TempDir()
	c := Dial(dir)
	var out greeting
	if err := c.Call(t.Context(), "POST /greet", greeting{"Ada"}, &out); !errors.Is(err, ErrNotRunning) ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("without a server: %v", err)
	}
	s := running(t, dir)
	info, err := os.Stat(path(dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	if err := c.Call(t.Context(), "POST /greet", greeting{"Ada"}, &out); err != nil || out.Name != "Hello Ada" {
		t.Errorf("%v, %+v", err, out)
	}
	if err := c.Call(t.Context(), "POST /greet", greeting{}, &out); err == nil || err.Error() != "--name: is missing" {
		t.Errorf("a refusal: %v", err)
	}
	const unknown = "The running server does not know this command; restart it after an upgrade"
	if err := c.Call(t.Context(), "POST /later", greeting{}, &out); err == nil || err.Error() != unknown {
		t.Errorf("a route of a later version: %v", err)
	}
	if err := New(dir).Start(t.Context()); !errors.Is(err, ErrInUse) {
		t.Errorf("a second server: %v", err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path(dir)); err == nil {
		t.Error("the socket is left")
	}
}

// The socket of a server that has died is replaced.
func TestStaleSocket(t *testing.T) {
	dir := t.TempDir()
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path(dir), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	ln.SetUnlinkOnClose(false)
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	s := running(t, dir)
	var out greeting
	if err := Dial(dir).Call(t.Context(), "POST /greet", greeting{"Ada"}, &out); err != nil {
		t.Error(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// Other users are refused, whatever the mode of the socket.
func TestOtherUsers(t *testing.T) {
	for _, c := range []struct {
		uid, owner int
		want       bool
	}{{1000, 1000, true}, {0, 1000, true}, {1001, 1000, false}, {-1, 1000, false}} {
		if got := allowed(c.uid, c.owner); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	s := New(t.TempDir())
	s.Handle("POST /greet", http.NotFoundHandler())
	r := httptest.NewRequestWithContext(context.WithValue(t.Context(), peerKey{}, false), "POST", "/greet", http.NoBody)
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, r)
	if want := "Only the user that runs the server, and root, may do this."; !strings.Contains(w.Body.String(), want) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The peer of a connection is the user of this process.
func TestPeer(t *testing.T) {
	dir := t.TempDir()
	ln, err := net.Listen("unix", path(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	go func() {
		c, err := net.Dial("unix", path(dir))
		if err == nil {
			defer func() { _ = c.Close() }()
			_, _ = c.Read(make([]byte, 1))
		}
	}()
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if uid, known := peer(c); known && uid != os.Geteuid() {
		t.Errorf("the peer is %d, not %d", uid, os.Geteuid())
	}
}
