package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// The level of a running server's log can be changed per module.
func TestLogLevel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stoa(t, "", "log", "level", "debug", "--data-dir", dir).fails(t, 1, "no server is running at "+dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	lines := func() int { return strings.Count(s.errs.String(), "route=/api/v1/server_settings ") }
	get := func() { ask(t, "GET", s.url+"/api/v1/server_settings", "", "", nil) }
	get()
	kittest.Await(t, func() bool { return lines() == 1 })
	set := func(level string, more ...string) result {
		return stoa(t, "", append([]string{"log", "level", level, "--data-dir", dir}, more...)...)
	}
	if got := set("http=error").ok(t).out; got != "http=error for 10m0s\n" {
		t.Errorf("%q", got)
	}
	get()
	set("info", "--for", "1h").ok(t) // of all others
	get()
	set("http=debug").ok(t)
	get()
	kittest.Await(t, func() bool { return lines() == 2 })
	for level, want := range map[string]string{
		"loud":        `unknown level "loud"`,
		"evnts=debug": `unknown module "evnts"; did you mean "events"?`,
	} {
		set(level).fails(t, 1, want)
	}
	set("debug", "--for", "48h").fails(t, 1, "--for: want a time up to 24h0m0s, such as 10m")
	s.stop(0)
}

func TestProfile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "it")
	stoa(t, "", "profile", "heap", "-o", file, "--data-dir", dir).fails(t, 1, "no server is running at "+dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	for _, kind := range []string{"heap", "goroutine"} {
		stoa(t, "", "profile", kind, "-o", file, "--data-dir", dir).ok(t)
		text, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(text, []byte("\x1f\x8b")) {
			t.Errorf("%s: %d bytes, %v", kind, len(text), err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", kind, info.Mode(), err)
		}
	}
	stoa(t, "", "profile", "cpu", "--seconds", "0", "-o", file, "--data-dir", dir).fails(t, 1, "--seconds: want 1 to 600")
	stoa(t, "", "profile", "disk", "--data-dir", dir).fails(t, 2)
	s.stop(0)
}
