package log_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/fx"

	logmail "github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// taker returns a module that passes its Mailer to the test.
func taker(into *ports.Mailer) kit.Module {
	return kit.Define("taker", "Takes the mailer.", kit.None{}, func(_ kit.None, n struct {
		fx.In
		Mailer ports.Mailer
	}) (kit.Parts, error) {
		*into = n.Mailer
		return kit.Parts{}, nil
	})
}

func TestLog(t *testing.T) {
	for level, want := range map[slog.Level][]string{
		slog.LevelInfo:  {"NOT sent", "eve@example.com", "Hello"},
		slog.LevelDebug: {"NOT sent", "eve@example.com", "Hello", "join/secret"},
	} {
		var log bytes.Buffer
		var m ports.Mailer
		kittest.StartWith(t, kittest.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))},
			logmail.Module, taker(&m))
		if m.Delivers() {
			t.Error("it delivers")
		}
		if err := m.Send(t.Context(), mail.Message{ID: "a", To: "eve@example.com", Subject: "Hello",
			Text: "https://x/join/secret\n"}); err != nil {
			t.Error(err)
		}
		if err := m.Send(t.Context(), mail.Message{ID: "a", To: "eve", Subject: "Hello", Text: "no\n"}); !errs.Is(err,
			errs.BadRequest) {
			t.Error(err)
		}
		for _, w := range want {
			if !strings.Contains(log.String(), w) {
				t.Errorf("%v: no %s in\n%s", level, w, &log)
			}
		}
		if level > slog.LevelDebug && strings.Contains(log.String(), "secret") {
			t.Errorf("a key is in the log:\n%s", &log)
		}
	}
}
