package cli

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/stoachat/stoa/app/internal/server"
)

type migrate struct {
	Status migrateStatus `cmd:"" help:"List the migrations of all modules, applied and missing."`
	Up     migrateUp     `cmd:"" help:"Apply the missing migrations that this version needs, as the server does when it starts."`
	Finish migrateFinish `cmd:"" help:"Finish an upgrade: apply what earlier versions could not bear."`
}

// force are the flags of the commands that migrate.
type force struct {
	Force  bool `help:"Migrate even if that breaks running processes of another version, or without a copy if the disk is full. For emergencies."`
	NoCopy bool `help:"Do not copy a SQLite database before it is changed."`
}

type migrateStatus struct {
	ExitCode bool `help:"Exit with 1 if migrations are missing that this version needs."`
	JSON     bool `name:"json" help:"Print the result as JSON."`
}

// Run lists the migrations. It creates nothing: without a database, all migrations are missing.
func (c migrateStatus) Run(e *env) error {
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
	m, err := e.migrations(s)
	if err != nil {
		return err
	}
	if c.JSON {
		err = e.printJSON(m)
	} else {
		err = e.printMigrations(m)
	}
	if err == nil && c.ExitCode && m.Missing > 0 {
		err = fmt.Errorf("%d migrations are missing; run %s", m.Missing, e.command("migrate up"))
	}
	return err
}

// migrations are all migrations of a server, with their state.
type migrations struct {
	Steps   []migration `json:"migrations"`
	Missing int         `json:"missing"` // and needed by this version
	Waiting int         `json:"waiting"` // until the upgrade is finished
}

type migration struct {
	Module string `json:"module"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`  // expand or contract
	State  string `json:"state"` // done, missing or waiting
	Text   string `json:"text"`  // what it does, and what it locks
}

func (e *env) migrations(s *server.Server) (migrations, error) {
	var m migrations
	steps, err := s.DB().Migrations(e.ctx, s.Migrations())
	for _, p := range steps {
		state := "done"
		switch {
		case p.Waits():
			state = "waiting"
			m.Waiting++
		case !p.Applied:
			state = "missing"
			m.Missing++
		}
		m.Steps = append(m.Steps, migration{p.Module, p.Name, string(p.Header.Kind), state, p.Header.Text})
	}
	return m, err
}

func (e *env) printMigrations(m migrations) error {
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	for _, p := range m.Steps {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Module, p.Name, p.Kind, p.State)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	waiting := ""
	if m.Waiting > 0 {
		waiting = fmt.Sprintf(", %d waiting for %s", m.Waiting, e.command("migrate finish"))
	}
	e.printf("%d steps, %d missing%s\n", len(m.Steps), m.Missing, waiting)
	return nil
}

type migrateUp struct{ force }

// Run applies the missing migrations.
func (c migrateUp) Run(e *env) error {
	return e.migrate(c.force, false, (*server.Server).Migrate)
}

type migrateFinish struct{ force }

// Help returns the long text of --help.
func (migrateFinish) Help() string {
	return `Run it when all servers run the new version and you will not return to the earlier one, which may be
unable to use the database afterwards. It is refused while processes of an earlier version are running that
it would break.`
}

// Run applies all missing migrations.
func (c migrateFinish) Run(e *env) error {
	return e.migrate(c.force, true, (*server.Server).FinishUpgrade)
}

func (e *env) migrate(c force, existing bool, run func(*server.Server, context.Context) error) error {
	o := e.options(e.sources())
	o.Force, o.NoCopy, o.Existing = c.Force, c.NoCopy, existing
	s, err := server.New(e.ctx, o, e.Modules...)
	if errors.Is(err, server.ErrNoDatabase) {
		return e.noOrganization()
	}
	if err != nil {
		return err
	}
	defer e.end(s)
	if err := run(s, e.ctx); err != nil {
		return err
	}
	m, err := e.migrations(s)
	if err != nil {
		return err
	}
	return e.printMigrations(m)
}
