package logs_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/internal/logs"
	"github.com/stoachat/stoa/app/kittest"
)

// logger returns a logger without times, and what it has logged since the last call of the function.
func logger(l *logs.Levels) (log *slog.Logger, taken func() string, flush func()) {
	var b bytes.Buffer
	h, flush := l.Handler(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	return slog.New(h), func() string { defer b.Reset(); return b.String() }, flush
}

func TestLevels(t *testing.T) {
	clock := kittest.NewClock()
	levels := logs.NewLevels(clock, slog.LevelInfo)
	root, taken, _ := logger(levels)
	mail, push := logs.For(root, "mail"), logs.For(root, "push").With("realm", 1)
	check := func(want ...string) {
		t.Helper()
		for name, l := range map[string]*slog.Logger{"root": root, "mail": mail, "push": push} {
			l.Debug(name)
		}
		got := taken()
		for _, name := range []string{"root", "mail", "push"} {
			wanted := strings.Contains(strings.Join(want, " "), name)
			if strings.Contains(got, "msg="+name) != wanted {
				t.Errorf("the debug line of %s: want %v, got %q", name, wanted, got)
			}
		}
	}
	check()
	levels.Set("push", slog.LevelDebug, 10*time.Minute)
	check("push")
	clock.Advance(9 * time.Minute)
	check("push")
	levels.Set("", slog.LevelDebug, 10*time.Minute)
	levels.Set("mail", slog.LevelError, 10*time.Minute)
	check("root", "push")
	clock.Advance(time.Minute)
	check("root", "push") // by the level of all
	clock.Advance(9 * time.Minute)
	check()
	levels.SetBase(slog.LevelDebug)
	check("root", "mail", "push")
}

// A fault that recurs is logged once a minute, with the number of its repetitions.
func TestRepeatedLines(t *testing.T) {
	log, taken, flush := logger(logs.NewLevels(kittest.NewClock(), slog.LevelInfo))
	at := kittest.Epoch()
	line := func(level slog.Level, msg string, args ...any) {
		r := slog.NewRecord(at, level, msg, 0)
		r.Add(args...)
		if err := log.Handler().Handle(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	is := func(want string) {
		t.Helper()
		if got := taken(); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
	for i := range 3 {
		line(slog.LevelError, "failed", "request", fmt.Sprint(i), "err", "disk full")
		line(slog.LevelError, "failed", "request", fmt.Sprint(i), "err", "no route")
		line(slog.LevelInfo, "fine")
	}
	is(`level=ERROR msg=failed request=0 err="disk full"
level=ERROR msg=failed request=0 err="no route"
level=INFO msg=fine
level=INFO msg=fine
level=INFO msg=fine
`)
	at = at.Add(59 * time.Second)
	line(slog.LevelError, "failed", "request", "9", "err", "no route")
	is("")
	at = at.Add(time.Second)
	line(slog.LevelWarn, "another")
	got := taken()
	for _, want := range []string{`level=ERROR msg=failed request=2 err="disk full" repeated=2`,
		`level=ERROR msg=failed request=9 err="no route" repeated=3`, "level=WARN msg=another"} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	line(slog.LevelError, "failed", "request", "10", "err", "no route")
	is("level=ERROR msg=failed request=10 err=\"no route\"\n")
	line(slog.LevelError, "failed", "request", "11", "err", "no route")
	flush()
	is("level=ERROR msg=failed request=11 err=\"no route\" repeated=1\n")
}
