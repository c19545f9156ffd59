package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
)

// Status is the result of a check.
type Status string

// The results.
const (
	OK      Status = "ok"
	Warn    Status = "warn" // the server works nevertheless
	Fail    Status = "fail"
	Skipped Status = "skipped" // the check did not run
)

// Result is what a check has found.
type Result struct {
	Check    string   `json:"check"` // module.name
	Status   Status   `json:"status"`
	Means    string   `json:"means"`              // what is true if the check is ok, or why it was skipped
	Found    []string `json:"found,omitempty"`    // what is wrong
	Remedies []string `json:"remedies,omitempty"` // the commands or actions that repair it
	Repaired []string `json:"repaired,omitempty"` // what was wrong before it was repaired
}

// Doctor runs checks.
type Doctor struct {
	DB      *bunstore.DB
	Running bool                     // a server uses the database
	Fix     bool                     // repair what can be repaired
	Command func(args string) string // returns a command line of this program

	tables map[string]bunstore.Relation // by name; read once
}

// Examine runs a check. If Fix is set, it repairs what is wrong and runs the check again.
func (d *Doctor) Examine(ctx context.Context, name string, c kit.Diagnosis) Result {
	if c.Offline && d.Running {
		return Skip(name, "It must not run beside the server: stop that first.")
	}
	found, err := d.find(ctx, &c)
	var skipped *kit.SkippedError
	if errors.As(err, &skipped) {
		return Skip(name, skipped.Why)
	}
	if err != nil {
		return failed(name, err)
	}
	fixes := repairs(found)
	if !d.Fix || len(fixes) == 0 {
		return d.result(name, &c, found)
	}
	for _, fix := range fixes {
		if err := fix.run(ctx); err != nil {
			return failed(name, err)
		}
	}
	left, err := d.find(ctx, &c)
	if err != nil {
		return failed(name, err)
	}
	r := d.result(name, &c, left)
	for _, f := range found {
		if !slices.ContainsFunc(left, func(l finding) bool { return l.Text == f.Text }) {
			r.Repaired = append(r.Repaired, f.Text)
		}
	}
	return r
}

// Skip returns the result of a check that did not run.
func Skip(name, why string) Result { return Result{Check: name, Status: Skipped, Means: why} }

// Incomplete is what the result of a check means that has failed itself.
const Incomplete = "The check could not be completed."

func failed(name string, err error) Result {
	return Result{
		Check: name, Status: Fail, Means: Incomplete,
		Found:    []string{strings.Join(strings.Fields(err.Error()), " ")},
		Remedies: []string{"repair the cause, and run it again"},
	}
}

// finding is something that is wrong, and what repairs it.
type finding struct {
	kit.Finding
	fix *repair // nil: a person must
}

// repair repairs one or more findings.
type repair struct{ run func(context.Context) error }

func (d *Doctor) find(ctx context.Context, c *kit.Diagnosis) ([]finding, error) {
	var all []finding
	for i := range c.Wrong {
		found, err := d.wrong(ctx, &c.Wrong[i])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if c.Run == nil {
		return all, nil
	}
	var fix *repair
	if c.Fix != nil {
		fix = &repair{c.Fix}
	}
	found, err := c.Run(ctx)
	for _, f := range found {
		one := finding{Finding: f}
		if f.Remedy == "" {
			one.fix = fix
		}
		all = append(all, one)
	}
	return all, err
}

// repairs returns what repairs the findings, each once.
func repairs(found []finding) []*repair {
	var all []*repair
	for _, f := range found {
		if f.fix != nil && !slices.Contains(all, f.fix) {
			all = append(all, f.fix)
		}
	}
	return all
}

// result summarizes what a check has found.
func (d *Doctor) result(name string, c *kit.Diagnosis, found []finding) Result {
	r := Result{Check: name, Status: OK, Means: c.Doc}
	for _, f := range found {
		r.Found = append(r.Found, f.Text)
		remedy := f.Remedy
		if remedy == "" {
			remedy = d.Command("doctor --fix --only " + name)
		}
		if !slices.Contains(r.Remedies, remedy) {
			r.Remedies = append(r.Remedies, remedy)
		}
		switch {
		case !f.Minor:
			r.Status = Fail
		case r.Status == OK:
			r.Status = Warn
		}
	}
	return r
}

// Line returns a result as one line.
func (r *Result) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-7s %s: ", r.Status, r.Check)
	switch {
	case len(r.Found) == 0:
		b.WriteString(r.Means)
	default:
		b.WriteString(strings.Join(r.Found, "; ") + ". " + r.Means + " Remedy: " + strings.Join(r.Remedies, "; or "))
	}
	if len(r.Repaired) > 0 {
		b.WriteString(" Repaired: " + strings.Join(r.Repaired, "; ") + ".")
	}
	return b.String()
}
