package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/app/internal/admin"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/doctor"
	"github.com/stoachat/stoa/app/internal/logs"
	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/app/internal/profile"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// SupportPart is a file of a support bundle.
type SupportPart struct {
	Name    string
	Reveals string // what the file may reveal
	Write   func(ctx context.Context, w io.Writer) error
}

// cpuSeconds is how long the profile of the processor in a bundle takes.
const cpuSeconds = 10

// SupportParts returns the files of a support bundle about a server. What only a running server knows is asked of the
// one that runs on the data folder. If the database cannot be opened, db is nil, and the files about it fail with
// cause.
func SupportParts(o Options, modules []kit.Module, cfg Config, db *Server, cause error) []SupportPart {
	client := admin.Dial(cfg.Settings.DataDir)
	ask := func(route string, in any) func(context.Context, io.Writer) error {
		return func(ctx context.Context, w io.Writer) error { return copyAnswer(ctx, client, route, in, w) }
	}
	of := func(write func(*Server, context.Context) (any, error)) func(context.Context, io.Writer) error {
		return func(ctx context.Context, w io.Writer) error {
			if db == nil {
				return cause
			}
			v, err := write(db, ctx)
			if err != nil {
				return err
			}
			return indented(w, v)
		}
	}
	const program = "names of functions, and the path of the program"
	return []SupportPart{
		{"version.json", "versions of program, Go and kernel, and the kind of database", func(_ context.Context,
			w io.Writer) error {
			return indented(w, versionsOf(o, cfg))
		}},
		{"config.yaml", "settings; of texts other than the defaults, only that they were changed",
			func(_ context.Context, w io.Writer) error { return writeSettings(w, cfg, modules) }},
		{"doctor.json", "what stoa doctor has found, with IDs", func(ctx context.Context, w io.Writer) error {
			return writeDoctor(ctx, w, o, modules)
		}},
		{"migrations.json", "names of modules", of(func(s *Server, ctx context.Context) (any, error) {
			return s.db.Applied(ctx)
		})},
		{"schema.json", "names of tables and columns", of(func(s *Server, ctx context.Context) (any, error) {
			return s.db.Schema(ctx)
		})},
		{"tables.json", "numbers of rows", of((*Server).tableSizes)},
		{"jobs.json", "names of jobs, and when they run next", of((*Server).jobTimes)},
		{"nodes.json", "IDs and versions of servers", of((*Server).nodeList)},
		{"disk.json", "sizes of database and disk", of((*Server).sizes)},
		{"log.txt", "the last lines of the log: texts of the program, numbers, and IDs", ask("POST /support/log", Done{})},
		{"metrics.txt", "figures, as at /metrics", ask("POST /support/metrics", Done{})},
		{"health.json", "results of health checks", ask("POST /support/health", Done{})},
		{"goroutines.pprof", program, ask("POST /profile/goroutine", profile.Request{Seconds: 1})},
		{"heap.pprof", program, ask("POST /profile/heap", profile.Request{Seconds: 1})},
		{"cpu.pprof", program, ask("POST /profile/cpu", profile.Request{Seconds: cpuSeconds})},
	}
}

func copyAnswer(ctx context.Context, client *admin.Client, route string, in any, w io.Writer) error {
	body, err := client.Stream(ctx, route, in)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, body)
	if closed := body.Close(); err == nil {
		err = closed
	}
	return err
}

func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func versionsOf(o Options, cfg Config) map[string]any {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease") // only on Linux
	memory, _ := os.ReadFile("/sys/fs/cgroup/memory.max")  // only in a cgroup
	processor, _ := os.ReadFile("/sys/fs/cgroup/cpu.max")  // only in a cgroup
	database, _, _ := strings.Cut(cfg.Settings.DatabaseURL(), ":")
	return map[string]any{
		"version": o.Version, "commit": commit(), "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH,
		"processors": runtime.NumCPU(), "kernel": strings.TrimSpace(string(kernel)), "database": database,
		"memory_limit": strings.TrimSpace(string(memory)), "processor_limit": strings.TrimSpace(string(processor)),
	}
}

// writeSettings writes the effective configuration without its texts.
func writeSettings(w io.Writer, cfg Config, modules []kit.Module) error {
	print := func(of any, defaults any) error {
		text, err := config.PrintForSupport(of, defaults)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		return err
	}
	if err := print(cfg.Settings, Defaults()); err != nil {
		return err
	}
	all := cfg.Plan
	for _, m := range cfg.Plan {
		if m.From != nil {
			all = append(slices.Clip(all), *m.From)
		}
	}
	for _, m := range all {
		i := slices.IndexFunc(modules, func(k kit.Module) bool { return k.Slot == m.Slot && k.Name == m.Name })
		if i < 0 {
			continue
		}
		name := m.Name
		if m.Slot != "" {
			name = strings.TrimPrefix(m.Path, "adapters.") + "/" + m.Name
		}
		if _, err := fmt.Fprintf(w, "--- # %s\n", name); err != nil {
			return err
		}
		if err := print(m.Config, modules[i].Defaults); err != nil {
			return err
		}
	}
	return nil
}

// writeDoctor writes the results of all checks. Those about settings and services name them.
func writeDoctor(ctx context.Context, w io.Writer, o Options, modules []kit.Module) error {
	var all []doctor.Result
	err := Examine(ctx, o, Examination{
		Command: func(args string) string { return "stoa " + args },
		Report: func(r doctor.Result) {
			r.Remedies = nil
			module, _, _ := strings.Cut(r.Check, ".")
			for i, text := range r.Found {
				if module == kit.ServerPart || r.Means == doctor.Incomplete {
					r.Found[i] = logs.Scrub(text)
				}
			}
			all = append(all, r)
		},
	}, modules...)
	if err != nil {
		return err
	}
	return indented(w, all)
}

// tableSizes returns the number of rows of each table.
func (s *Server) tableSizes(ctx context.Context) (any, error) {
	all, err := s.db.Relations(ctx)
	rows := map[string]int64{}
	for _, r := range all {
		n, err := s.db.From(ctx).NewSelect().Table(r.Name).Count(ctx)
		if err != nil {
			return nil, err
		}
		rows[r.Name] = n
	}
	return rows, err
}

func (s *Server) jobTimes(ctx context.Context) (any, error) {
	var rows []struct {
		Name string    `json:"name"`
		Held bool      `json:"held"`
		Due  int64     `json:"-"`
		At   time.Time `json:"due"`
	}
	err := s.db.From(ctx).NewSelect().Table("job_leases").ColumnExpr("name, holder <> '' AS held, due").Order("name").
		Scan(ctx, &rows)
	for i := range rows {
		rows[i].At = time.UnixMilli(rows[i].Due).UTC()
	}
	return rows, err
}

func (s *Server) nodeList(ctx context.Context) (any, error) {
	all, err := nodes.AllServing(ctx, s.db)
	for i := range all {
		all[i].Host = "" // a name
	}
	return all, err
}

func (s *Server) sizes(ctx context.Context) (any, error) {
	free, _ := freeBytes(s.Config.Settings.DataDir)
	sp, err := s.db.Space(ctx)
	wal := int64(0)
	if info, err := os.Stat(s.db.File() + "-wal"); err == nil && s.db.File() != "" {
		wal = info.Size()
	}
	return map[string]any{"free": free, "database": sp.Bytes, "unused": sp.Unused, "write_ahead_log": wal}, err
}

// handleSupport adds the routes for what only a running server knows.
func (s *Server) handleSupport(a *admin.Server) {
	a.Handle("POST /support/log", admin.Write(func(_ context.Context, _ Done, w io.Writer) error {
		if s.recent == nil {
			return errs.Bad("The log of this server is not configurable")
		}
		_, err := io.WriteString(w, strings.Join(append(s.recent.Lines(), ""), "\n"))
		return err
	}))
	a.Handle("POST /support/metrics", admin.Write(func(ctx context.Context, _ Done, w io.Writer) error {
		if s.scrapes == nil {
			return errs.Bad("metrics.addr is not set, so that the server keeps no figures")
		}
		return page(ctx, s.scrapes.Page(), "/metrics", w)
	}))
	a.Handle("POST /support/health", admin.Write(func(ctx context.Context, _ Done, w io.Writer) error {
		return page(ctx, s.health, "/health", w)
	}))
}

// page writes what a handler answers, whatever the status.
func page(ctx context.Context, h http.Handler, path string, w io.Writer) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
	if err == nil {
		h.ServeHTTP(&answer{Writer: w, header: http.Header{}}, r)
	}
	return err
}

// answer is a http.ResponseWriter of which only the body matters.
type answer struct {
	io.Writer
	header http.Header
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(int) {}
