package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/app/internal/admin"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/doctor"
	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Examination is what stoa doctor does.
type Examination struct {
	Fix     bool
	Only    string                   // a check, or a module whose checks run; "": all
	Command func(args string) string // returns a command line of this program
	Report  func(doctor.Result)
}

// The checks that must succeed before others can run.
const (
	configurationCheck = "server.configuration"
	databaseCheck      = "server.database"
	migrationsCheck    = "server.migrations"
)

// ErrUnknownCheck reports that there is no check with the name of Examination.Only.
var ErrUnknownCheck = errors.New("unknown check")

// Examine runs the checks of all configured modules, and those of the server itself. Nothing of the server is started,
// and without Fix nothing is changed. What prevents the checks from running is reported as a failed check.
func Examine(ctx context.Context, o Options, x Examination, modules ...kit.Module) error {
	if _, err := Read(o.Sources(), modules); err != nil {
		x.fail(configurationCheck, x.Command("config check"), strings.Split(err.Error(), "\n")...)
		x.skip("The configuration is invalid.", databaseCheck, migrationsCheck)
		return nil
	}
	o.Existing = true
	s, err := New(ctx, o, modules...)
	if err != nil {
		x.fail(databaseCheck, "correct database.url or data_dir, or create an organization with "+x.Command("init"),
			config.Masked(err.Error()))
		x.skip("The database can't be opened.", migrationsCheck)
		return nil
	}
	defer func() { _ = s.Stop(context.WithoutCancel(ctx)) }() // nothing has started
	if err := s.upToDate(ctx); err != nil {
		x.fail(migrationsCheck, x.Command("migrate up")+", with the version of the newest server", err.Error())
		return nil
	}
	return s.examine(ctx, x)
}

func (x *Examination) fail(check, remedy string, found ...string) {
	x.Report(doctor.Result{
		Check: check, Status: doctor.Fail, Means: "Other checks did not run.", Found: found, Remedies: []string{remedy},
	})
}

func (x *Examination) skip(why string, checks ...string) {
	for _, name := range checks {
		x.Report(doctor.Skip(name, why))
	}
}

// examine runs the checks of a server whose tables are complete.
func (s *Server) examine(ctx context.Context, x Examination) error {
	running, err := s.inUse(ctx)
	if err != nil {
		return err
	}
	d := &doctor.Doctor{DB: s.db, Running: running, Fix: x.Fix, Command: x.Command}
	checks := s.diagnoses(x, running)
	var names []string
	found := false
	for _, c := range checks {
		names = append(names, c.Name)
		if !x.selects(c.Name) {
			continue
		}
		found = true
		if x.Report(d.Examine(ctx, c.Name, c)); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !found {
		return fmt.Errorf("%w %q%s", ErrUnknownCheck, x.Only, spelling.Suggest(x.Only, names))
	}
	return nil
}

// ExamineRestored runs the checks of a database that was restored for verification, with a store of its files. sealed
// tells whether the server has the secret of the database.
func (s *Server) ExamineRestored(
	ctx context.Context, files ports.Blobs, sealed bool, report func(doctor.Result),
) error {
	x := Examination{Command: func(args string) string { return "stoa " + args }}
	s.Ports.Blobs = files
	d := &doctor.Doctor{DB: s.db, Command: x.Command}
	for _, c := range s.diagnosesOf(
		slices.Concat(s.databaseDiagnoses(x, false), s.kernel.Diagnoses(), s.rowDiagnoses(false), s.fileDiagnoses()),
	) {
		if c.Name == "server.services" || c.Name == "server.secret" && !sealed {
			continue
		}
		if report(d.Examine(ctx, c.Name, c)); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// selects reports whether a check, with its full name, is to run.
func (x *Examination) selects(name string) bool {
	module, _, _ := strings.Cut(name, ".")
	return x.Only == "" || x.Only == name || x.Only == module
}

// servingWithin is how recently a server that runs has renewed its row, with differences between clocks.
const servingWithin = time.Minute

// inUse reports whether a server uses the database, here or elsewhere.
func (s *Server) inUse(ctx context.Context) (bool, error) {
	if admin.Dial(s.Config.Settings.DataDir).Running(ctx) {
		return true, nil
	}
	all, err := nodes.AllServing(ctx, s.db)
	now := s.options.Clock.Now()
	return slices.ContainsFunc(all, func(n nodes.Serving) bool { return now.Sub(n.RenewedAt) < servingWithin }), err
}

// diagnoses returns all checks with their full names.
func (s *Server) diagnoses(x Examination, running bool) []kit.Diagnosis {
	own := slices.Concat(
		s.configurationDiagnoses(), s.databaseDiagnoses(x, running), s.kernel.Diagnoses(), s.rowDiagnoses(running),
		s.fileDiagnoses(), s.storeDiagnoses(), s.mailDiagnoses(), s.securityDiagnoses(),
	)
	return s.diagnosesOf(own)
}

// diagnosesOf returns some checks of the server itself, and all those of modules, with their full names.
func (s *Server) diagnosesOf(own []kit.Diagnosis) []kit.Diagnosis {
	var all []kit.Diagnosis
	add := func(module string, some []kit.Diagnosis) {
		for _, c := range some {
			c.Name = module + "." + c.Name
			all = append(all, c)
		}
	}
	add(kit.ServerPart, own)
	for _, m := range s.modules.Modules {
		add(m.Module, m.Parts.Doctor)
	}
	return all
}
