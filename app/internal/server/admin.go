package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/app/internal/admin"
	"github.com/stoachat/stoa/app/internal/profile"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/spelling"
)

// LogLevel asks for another level of the log for some time.
type LogLevel struct {
	Module string        `json:"module"` // "": all
	Level  string        `json:"level"`
	For    time.Duration `json:"for"`
}

// Done is the answer to a call that has nothing to tell.
type Done struct{}

// admins returns the server that commands on this machine call.
func (s *Server) admins() *admin.Server {
	a := admin.New(s.Config.Settings.DataDir)
	a.Handle("POST /log/level", admin.JSON(s.setLogLevel))
	a.Handle("POST /command", admin.Write(s.serveCommand))
	a.Handle("POST /profile/{kind}", http.HandlerFunc(profile.Serve))
	s.handleSupport(a)
	return a
}

// serveCommand runs an administrative command for another process.
func (s *Server) serveCommand(ctx context.Context, in Call, w io.Writer) error {
	err := s.RunCommand(ctx, in, w)
	if !in.Ask {
		s.Log.Info("command", "name", in.Name, "err", err)
	}
	return err
}

// startAdmin starts the socket. Without it, the server works, but commands cannot reach it.
func (s *Server) startAdmin(a *admin.Server) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := a.Start(ctx); err != nil {
			s.Log.Warn("commands such as stoa log and stoa profile cannot reach this server", "err", err)
		}
		return nil
	}
}

// maxLevelTime is the longest time for another level of the log.
const maxLevelTime = 24 * time.Hour

func (s *Server) setLogLevel(_ context.Context, in LogLevel) (Done, error) {
	var level slog.Level
	switch {
	case s.levels == nil:
		return Done{}, errs.Bad("The log of this server is not configurable")
	case !slices.Contains(levels, in.Level):
		return Done{}, errs.Bad("unknown level %q%s", in.Level, spelling.Suggest(in.Level, levels))
	case in.Module != "" && !slices.Contains(s.logging(), in.Module):
		return Done{}, errs.Bad("unknown module %q%s", in.Module, spelling.Suggest(in.Module, s.logging()))
	case in.For <= 0 || in.For > maxLevelTime:
		return Done{}, errs.Bad("--for: want a time up to %v, such as 10m", maxLevelTime)
	}
	_ = level.UnmarshalText([]byte(in.Level)) // one of levels
	s.levels.Set(in.Module, level, in.For)
	s.Log.Warn("the level of the log was changed",
		"of", orAll(in.Module), "level", strings.ToLower(in.Level), "for", in.For)
	return Done{}, nil
}

func orAll(module string) string {
	if module == "" {
		return "all"
	}
	return module
}

// logging returns the names of all modules and parts of the server that log.
func (s *Server) logging() []string {
	all := []string{"erase", "health", "http", "jobs", "kernel", "nodes", "server", "traces"}
	for _, m := range s.Config.Plan {
		if m.Slot != "" {
			all = append(all, m.Slot)
		} else {
			all = append(all, m.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
