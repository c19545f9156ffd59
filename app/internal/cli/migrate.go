package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/stoachat/stoa/app/internal/server"
)

type migrate struct {
	Status migrateStatus `cmd:"" help:"List the migrations of all modules, applied and missing."`
	Up     migrateUp     `cmd:"" help:"Apply the missing migrations, as the server does when it starts."`
}

type migrateStatus struct{}

// force is a flag of the commands that migrate.
type force struct {
	Force bool `help:"Migrate the database even if processes of another version use it, or without a copy if the disk is full. For emergencies."`
}

// Run lists the migrations. It creates nothing: without a database, all migrations are missing.
func (migrateStatus) Run(e *env) error {
	o := e.options(e.sources())
	o.Existing = true
	s, err := server.New(e.ctx, o, e.Modules...)
	if errors.Is(err, server.ErrNoDatabase) {
		e.printError("there is no database yet; stoa serve, init and migrate up create it")
		s, err = server.Inspect(e.ctx, e.sources(), e.Modules...)
	}
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
	e.printf("%d steps, %d missing\n", len(steps), missing)
	return nil
}

type migrateUp struct{ force }

// Run applies the missing migrations.
func (m migrateUp) Run(e *env) error {
	o := e.options(e.sources())
	o.Force = m.Force
	s, err := server.New(e.ctx, o, e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	if err := s.Migrate(e.ctx); err != nil {
		return err
	}
	return e.steps(s)
}
