package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stoachat/stoa/app/internal/config"
)

// step is a part of the server. Parts are started in order and stopped in reverse.
type step struct {
	name  string
	start func(context.Context) error
	stop  func(context.Context) error
	limit time.Duration // for stop, so that a part that hangs does not take the others' time
}

// Time limits for stopping. Requests and jobs are canceled at the limit; the kernel still has to commit pending writes.
const (
	httpLimit   = 10 * time.Second
	jobsLimit   = 5 * time.Second
	checksLimit = 3 * time.Second
	kernelLimit = 10 * time.Second
	nodeLimit   = 3 * time.Second

	metricsLimit = time.Second
	tracesLimit  = 2 * time.Second
	adminLimit   = time.Second
)

// StopTime returns the maximum duration of Stop.
func (s *Server) StopTime() time.Duration {
	return s.Config.Settings.HTTP.StopDelay + httpLimit + jobsLimit + checksLimit + kernelLimit + nodeLimit +
		metricsLimit + tracesLimit + adminLimit + time.Second
}

// Serve starts everything: address, tables, kernel, HTTP, jobs. If a step fails, the earlier ones are stopped. While
// the database does not respond, Serve waits for it if Options.Serving is set. The functions in first run when the
// address is known and the kernel has started, before the server responds to any request; clients that connect
// meanwhile wait.
func (s *Server) Serve(ctx context.Context, first ...func(context.Context) error) error {
	base := s.base()
	if s.options.Serving {
		w := &waiter{s: s}
		base = s.after(step{name: "tables", start: w.migrate})
		base = append(w.wrap(base), step{name: "database", start: w.succeed})
		defer w.end() // if a step has failed
	}
	steps := []step{{"address", s.listen, func(context.Context) error { return s.http.Close() }, time.Second}}
	if s.access != nil {
		closed := func(context.Context) error { return s.access.Close() }
		steps = append(steps, step{"access log", s.openAccess, closed, time.Second})
	}
	if s.spans != nil {
		steps = append(steps, step{"traces", s.spans.Start, s.spans.Stop, tracesLimit})
	}
	if s.scrapes != nil {
		steps = append(steps, step{"metrics", s.scrapes.Start, s.scrapes.Stop, metricsLimit})
	}
	if s.options.Serving {
		a := s.admins()
		steps = append(steps, step{"admin", s.startAdmin(a), a.Stop, adminLimit})
	}
	steps = append(append(steps, base...), step{name: "absences", start: s.noticeAbsences})
	for _, do := range first {
		steps = append(steps, step{name: "first", start: do})
	}
	steps = append(
		steps,
		step{"http", s.http.Start, s.http.Stop, httpLimit},
		step{"jobs", s.startJobs, s.jobs.Stop, jobsLimit},
		s.checks(),
		step{
			"notice",
			func(context.Context) error { return nil },
			s.announce,
			s.Config.Settings.HTTP.StopDelay + time.Second,
		},
	)
	if err := s.run(ctx, steps); err != nil {
		return err
	}
	if exposed(s.Config.Settings.DataDir) {
		s.Log.Warn("other users of this machine can read the data folder; protect it with chmod 700",
			"data_dir", s.Config.Settings.DataDir)
	}
	from := s.options.ConfigFile
	if from == "" {
		from = "default"
	}
	for _, fault := range s.Faults() {
		s.Log.Warn("the configuration has a fault", "key", fault.Path, "fault", fault.Text)
	}
	s.Log.Info("server started", "version", s.options.Version, "config", from,
		"database", config.Masked(s.Config.Settings.DatabaseURL()), "address", s.addr, "url", s.URL())
	return nil
}

// checks runs the health checks once in the background, so that an unavailable store does not delay the start.
func (s *Server) checks() step {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	start := func(context.Context) error {
		if s.options.ManualJobs {
			close(ended)
			return nil
		}
		go func() { defer close(ended); s.health.Warn(ctx) }()
		return nil
	}
	stop := func(wait context.Context) error {
		cancel()
		select {
		case <-ended:
			return nil
		case <-wait.Done():
			return wait.Err()
		}
	}
	return step{"checks", start, stop, checksLimit}
}

// announce reports to load balancers that the server is stopping, and waits until they have noticed.
func (s *Server) announce(ctx context.Context) error {
	s.health.Stop()
	wait := time.NewTimer(s.Config.Settings.HTTP.StopDelay)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	return nil
}

// Start starts the parts that commands need to change data without serving: tables and kernel.
func (s *Server) Start(ctx context.Context) error { return s.run(ctx, s.base()) }

// ErrNoTables reports that the database is empty.
var ErrNoTables = errors.New("the database has no tables yet")

// StartExisting is Start for a database whose schema is current. It never migrates, since a migration may break running
// servers of an older version. Errors: ErrNoTables; an error that names the missing migrations.
func (s *Server) StartExisting(ctx context.Context) error {
	return s.run(ctx, s.after(step{name: "tables", start: s.upToDate}))
}

func (s *Server) upToDate(ctx context.Context) error {
	if err := s.db.CheckRestored(ctx); err != nil {
		return err
	}
	steps, err := s.db.Migrations(ctx, s.Migrations())
	if err != nil {
		return err
	}
	applied := false
	var missing []string
	for _, p := range steps {
		applied = applied || p.Applied
		if !p.Applied && !p.Waits() {
			missing = append(missing, p.String())
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case !applied:
		return ErrNoTables
	}
	return fmt.Errorf("the database lacks %d migrations of this version, first %s; run stoa migrate up", len(missing),
		missing[0])
}

func (s *Server) base() []step {
	return s.after(step{name: "tables", start: s.Migrate})
}

// after returns the steps of every process that uses the database, beginning with the given one.
func (s *Server) after(tables step) []step {
	return []step{
		tables, {"node", s.node.Start, s.node.Stop, nodeLimit}, {"kernel", s.kernel.Start, s.kernel.Stop, kernelLimit},
	}
}

func (s *Server) run(ctx context.Context, steps []step) error {
	for _, p := range steps {
		s.Log.Debug("starting", "step", p.name)
		if err := p.start(ctx); err != nil {
			return errors.Join(err, s.stopSteps(context.WithoutCancel(ctx)))
		}
		s.started = append(s.started, p)
	}
	return nil
}

// Stop stops all parts in reverse order: it makes the health check fail, rejects new requests, responds to held polls,
// ends jobs, commits pending writes and closes the database. Each part has its own time limit. Parts that have not
// ended by then, or when ctx ends, are abandoned and named in the error.
func (s *Server) Stop(ctx context.Context) error {
	return errors.Join(s.stopSteps(ctx), s.close())
}

func (s *Server) stopSteps(ctx context.Context) error {
	var all []error
	for i := len(s.started) - 1; i >= 0; i-- {
		p := s.started[i]
		if p.stop == nil {
			continue
		}
		s.Log.Debug("stopping", "step", p.name)
		if err := s.stopStep(ctx, p); err != nil {
			all = append(all, fmt.Errorf("stop %s: %w", p.name, err))
		}
	}
	s.started = nil
	return errors.Join(all...)
}

func (s *Server) stopStep(ctx context.Context, p step) error {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	return p.stop(ctx)
}

func (s *Server) listen(ctx context.Context) error {
	addr, err := s.http.Listen(ctx)
	s.addr = addr
	return err
}

func (s *Server) startJobs(context.Context) error {
	if !s.options.ManualJobs {
		s.jobs.Start()
	}
	return nil
}
