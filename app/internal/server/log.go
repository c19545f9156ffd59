package server

import (
	"context"
	"fmt"
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
	Access Access `yaml:"access"`
}

// Access configures the access log, which has a line for each request.
type Access struct {
	// a file to which a line is appended for each request, opened anew on SIGHUP; -: standard output; empty: none
	File   string `yaml:"file"`
	Format string `yaml:"format"` // json, or combined as other web servers write it
}

// logger returns the logger of the access log, and its file, which is not open yet. Both are nil without one.
func (a Access) logger(log *slog.Logger) (*slog.Logger, *logs.File) {
	if a.File == "" {
		return nil, nil
	}
	f := logs.NewFile(a.File, func(err error) { log.Error("cannot write the access log", "error", cause(err)) })
	if a.Format == combined {
		return slog.New(logs.Combined(f)), f
	}
	return slog.New(slog.NewJSONHandler(f, nil)), f
}

// openAccess opens the access log.
func (s *Server) openAccess(context.Context) error {
	if err := s.access.Open(); err != nil {
		return fmt.Errorf("log.access.file: can't open %s: %w; choose another one with STOA_LOG_ACCESS_FILE",
			s.Config.Settings.Log.Access.File, cause(err))
	}
	return nil
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
