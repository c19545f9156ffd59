package fiberhttp

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
)

func TestPortInUse(t *testing.T) {
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	cfg := Defaults()
	cfg.Addr = ln.Addr().String()
	w := newFakes()
	s, err := New(cfg, Deps{Collected: collected(), Directory: w, Realms: w, Authenticator: w, Clock: w,
		Log: slog.Default()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Listen(t.Context())
	if want := fmt.Sprintf("http.addr: %s is in use", cfg.Addr); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Errorf("Stop without Start: %v", err)
	}
}

func TestStopRightAfterStart(t *testing.T) {
	for range 50 {
		w := newFakes()
		cfg := Defaults()
		cfg.Addr = "127.0.0.1:0"
		s, err := New(cfg, Deps{Collected: collected(rows()...), Directory: w, Realms: w, Authenticator: w, Clock: w,
			Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience)
		if err := s.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
}
