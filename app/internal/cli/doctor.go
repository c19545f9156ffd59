package cli

import (
	"encoding/json"
	"errors"

	"github.com/stoachat/stoa/app/internal/doctor"
	"github.com/stoachat/stoa/app/internal/server"
)

type doctors struct {
	Fix  bool   `help:"Repair what can be repaired without a decision."`
	JSON bool   `name:"json" help:"Print the results as JSON."`
	Only string `placeholder:"NAME" help:"Run only this check, or those of this module."`
}

// Help returns the long text of --help.
func (doctors) Help() string {
	return `Looks for damage that does not stop the server: rows without an owner, sums that are wrong, missing files or
indexes, gaps in the log, and settings that are unsafe. Prints a line for each check: ok, warn, fail or skipped, what
that means, and what repairs it. Exits with 1 if a check fails. It may run beside the server; checks that must not are
skipped then.`
}

// Run runs the checks.
func (c doctors) Run(e *env) error {
	worst := doctor.OK
	results := []doctor.Result{}
	err := server.Examine(e.ctx, e.options(e.sources()), server.Examination{
		Fix: c.Fix, Only: c.Only, Command: func(args string) string { return e.command(args) + e.flagsInUse() },
		Report: func(r doctor.Result) {
			if r.Status == doctor.Fail || r.Status == doctor.Warn && worst == doctor.OK {
				worst = r.Status
			}
			results = append(results, r)
			if !c.JSON {
				e.printf("%s\n", r.Line())
			}
		},
	}, e.Modules...)
	if errors.Is(err, server.ErrUnknownCheck) {
		return codedError{err, usage}
	}
	if c.JSON && err == nil {
		err = json.NewEncoder(e.Out).Encode(struct {
			Status doctor.Status   `json:"status"`
			Checks []doctor.Result `json:"checks"`
		}{worst, results})
	}
	if err == nil && worst == doctor.Fail {
		err = errors.New("a check has failed")
	}
	return err
}
