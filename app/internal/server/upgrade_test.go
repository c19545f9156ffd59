package server

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

// What an upgrade would mean is known before it happens, and whether there is a way back at each step.
func TestCheckUpgrade(t *testing.T) {
	dir := t.TempDir()
	at := func(version string, all []kit.Module, do func(s *Server) error) Upgrade {
		t.Helper()
		s, err := New(t.Context(), Options{
			ConfigText: "modules:\n" + sound + "  grown: {}\n",
			Set:        map[string]string{"data_dir": dir, "http.addr": "127.0.0.1:0"},
			Log:        slog.New(slog.DiscardHandler), Version: version,
		}, all...)
		if err != nil {
			t.Fatal(err)
		}
		if do != nil {
			if err := do(s); err != nil {
				t.Fatal(err)
			}
		}
		u, err := s.CheckUpgrade(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		return u
	}
	is := func(u Upgrade, pending int, possible bool, text string) {
		t.Helper()
		if len(u.Pending) != pending || u.Downgrade.Possible != possible || !strings.Contains(u.Downgrade.Text, text) {
			t.Errorf("got %+v, want %d pending and %q", u, pending, text)
		}
	}
	const first, second = "1: -- expand: a.\nCREATE TABLE a (old text)", "2: -- expand: b.\nCREATE INDEX b ON a (old)"
	const third, broken = "3: -- contract of 2: c.\nDROP TABLE a", "3: -- contract of 2, required: c.\nDROP TABLE a"
	at("v1", versions(first), func(s *Server) error { return s.Migrate(t.Context()) })
	u := at("v2", versions(first, second, third), nil)
	is(u, 2, true, "until stoa migrate finish")
	if u.Seconds < 1 || u.Disk < spareDisk || !u.SideBySide || len(u.Problems) > 0 || u.Pending[1].Name != "grown/3" ||
		!u.Pending[1].Waits {
		t.Errorf("before the upgrade: %+v", u)
	}
	is(at("v3", versions(first, second, broken), nil), 2, false, "make a backup")
	is(at("v2", versions(first, second, third), func(s *Server) error { return s.Migrate(t.Context()) }), 1, true, "until")
	finish := func(s *Server) error { return s.FinishUpgrade(t.Context()) }
	is(at("v2", versions(first, second, third), finish), 0, false, "need a backup from before")
	is(at("v3", versions(first, second, broken), nil), 0, true, "to v2; versions before it")
	if u := at("v1", versions(first), nil); len(u.Problems) != 1 || !strings.Contains(u.Problems[0], "(v2) has changed") {
		t.Errorf("the earlier version: %+v", u)
	}
}
