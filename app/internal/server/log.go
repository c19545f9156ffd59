package server

import (
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"
)

// Log configures the log, which goes to standard error.
type Log struct {
	// debug, info, warn or error; on a terminal, info shows only warnings and errors, since the lines of requests would
	// hide them
	Level  string `yaml:"level" reload:"true"`
	Format string `yaml:"format"` // text or json
}

// logger returns the configured logger, and its level, which may be changed.
func (l Log) logger(w io.Writer, terminal bool) (*slog.Logger, *slog.LevelVar) {
	level := &slog.LevelVar{}
	level.Set(l.level(terminal))
	o := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o)), level
	}
	return slog.New(slog.NewTextHandler(w, o)), level
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
