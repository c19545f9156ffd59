package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/stoachat/stoa/app/internal/server"
)

type migrate struct {
	Status migrateStatus `cmd:"" help:"List the steps of all modules and whether the database has them."`
	Up     migrateUp     `cmd:"" help:"Bring the tables up to date. The server does so by itself when it starts."`
}

type migrateStatus struct{}

// Run lists the steps.
func (migrateStatus) Run(e *env) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	defer e.end(s)
	return e.steps(s)
}

func (e *env) steps(s *server.Server) error {
	steps, err := s.DB().Migrations(e.ctx, s.Migrations())
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	missing := 0
	for _, p := range steps {
		state := "done"
		if !p.Applied {
			state = "missing"
			missing++
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", p.Module, p.Name, state)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	e.say("%d steps, %d missing\n", len(steps), missing)
	return nil
}

type migrateUp struct{}

// Run takes the steps that are missing.
func (migrateUp) Run(e *env) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	defer e.end(s)
	if err := s.DB().Migrate(e.ctx, s.Migrations()); err != nil {
		return err
	}
	return e.steps(s)
}
