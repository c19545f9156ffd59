package server

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/app/internal/jobs"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
)

// parts returns what the server itself contributes, as a module does.
func (s *Server) parts() kit.Parts {
	return kit.Parts{Jobs: append(s.backupJobs(), s.limitJobs()...), Commands: s.commands(), Endpoints: []kit.Endpoint{
		kit.GET("/maintenance", kit.Users, s.maintenance.get, "Whether the server refuses all changes, and why."),
	}}
}

// commands returns the administrative commands of the server itself.
func (s *Server) commands() []kit.Command {
	return append(append(s.maintenance.commands(), s.relayCommands()...),
		kit.NewCommand("realm create", s.createRealm, "Create another organization, with its owner.").OfServer(),
		kit.NewCommand("job list", s.listJobs, "List the background jobs, and when each runs next.").OfServer(),
		kit.NewCommand("job show", s.showJob, "Show a background job.").OfServer(),
		kit.NewCommand("job run", s.runJob, "Run a background job now.").OfServer(),
		kit.NewCommand("limit show", s.showLimits, "Show what a user has left of the rate limits of this node.").OfMemory(),
		kit.NewCommand("limit reset", s.resetLimits, "Give a user back all of the rate limits of this node.").OfMemory(),
	)
}

// listedJob is a job in the output of commands.
type listedJob struct {
	Name       string     `json:"name"`
	Every      string     `json:"every"`
	Everywhere bool       `json:"everywhere" table:"ON EVERY NODE"`
	Running    bool       `json:"running"`
	Due        *time.Time `json:"next_run"`
}

func listed(j jobs.State) listedJob {
	out := listedJob{Name: j.Name, Every: j.Every.String(), Everywhere: j.Everywhere, Running: j.Running}
	if !j.Due.IsZero() {
		out.Due = &j.Due
	}
	return out
}

func (s *Server) listJobs(ctx context.Context, _ kit.Actor, _ kit.None) ([]listedJob, error) {
	all, err := s.jobs.States(ctx)
	out := make([]listedJob, len(all))
	for i, j := range all {
		out[i] = listed(j)
	}
	return out, err
}

type namedJob struct {
	Name string `arg:"" help:"Name of the job: see stoa job list."`
}

func (s *Server) job(ctx context.Context, name string) (jobs.State, error) {
	all, err := s.jobs.States(ctx)
	if err != nil {
		return jobs.State{}, err
	}
	names := make([]string, len(all))
	for i, j := range all {
		if j.Name == name {
			return j, nil
		}
		names[i] = j.Name
	}
	return jobs.State{}, errs.Absent("there is no job %q%s", name, spelling.Hint(name, names, "stoa job list"))
}

// shownJob is a job with everything that is known about it.
type shownJob struct {
	listedJob
	Timeout string `json:"timeout"`
	OnWork  bool   `json:"runs_when_work_is_due" table:"RUNS WHEN WORK IS DUE"`
	Deletes bool   `json:"deletes_old_data" table:"DELETES OLD DATA"`
}

func (s *Server) showJob(ctx context.Context, _ kit.Actor, in namedJob) (shownJob, error) {
	j, err := s.job(ctx, in.Name)
	return shownJob{listed(j), j.Timeout.String(), j.Backlog != nil, j.Deletes}, err
}

// ranJob is the output of job run.
type ranJob struct {
	Name   string  `json:"name"`
	TookMS float64 `json:"took_ms"`
}

func (r ranJob) String() string { return fmt.Sprintf("ran %s in %.0f ms", r.Name, r.TookMS) }

func (s *Server) runJob(ctx context.Context, _ kit.Actor, in namedJob) (ranJob, error) {
	j, err := s.job(ctx, in.Name)
	if err != nil {
		return ranJob{}, err
	}
	began := s.options.Clock.Now()
	if err := s.jobs.RunNow(ctx, j.Job); err != nil {
		return ranJob{}, fmt.Errorf("the job %s: %w", j.Name, err)
	}
	return ranJob{j.Name, float64(s.options.Clock.Now().Sub(began).Microseconds()) / 1000}, nil
}
