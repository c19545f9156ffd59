package server

import (
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"github.com/stoachat/stoa/app/internal/logs"
	"github.com/stoachat/stoa/ports"
)

// Log configures the log, which goes to standard error.
type Log struct {
	// debug, info, warn or error; on a terminal, info shows only warnings and errors, since the lines of requests would
	// hide them
	Level  string `yaml:"level" reload:"true"`
	Format string `yaml:"format"` // text or json
}

// logger returns the configured logger, which keeps its last lines in recent, and its levels, which may be changed.
// flush logs what was only counted.
func (l Log) logger(w io.Writer, terminal bool, clock ports.Clock, recent *logs.Recent) (
	log *slog.Logger, levels *logs.Levels, flush func(),
) {
	levels = logs.NewLevels(clock, l.level(terminal))
	o := &slog.HandlerOptions{Level: slog.LevelDebug} // the levels decide
	var h slog.Handler = slog.NewTextHandler(w, o)
	if l.Format == "json" {
		h = slog.NewJSONHandler(w, o)
	}
	h, flush = levels.Handler(recent.Handler(h))
	return slog.New(h), levels, flush
}

// level returns the lowest level that is logged.
func (l Log) level(terminal bool) (level slog.Level) {
	_ = level.UnmarshalText([]byte(l.Level)) // Validate has checked it
	if terminal && level == slog.LevelInfo {
		return slog.LevelWarn
	}
	return level
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
