package imports

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// keysKept is how long the record of what was imported is kept at least: until then a later archive can be imported.
const keysKept = 90 * 24 * time.Hour

// perForgotten is the maximum number of keys deleted in a transaction.
const perForgotten = 10_000

// forgetFlags are the flags of the command that forgets an import.
type forgetFlags struct {
	Organization string `arg:"" placeholder:"NAME" help:"Its subdomain, or @root for the one without."`
	Early        bool   `help:"Also within 90 days after the last import."`
}

// forgotten is the output of the command.
type forgotten struct {
	Records int64 `json:"records"`
}

// String prints the output as text.
func (f forgotten) String() string { return fmt.Sprintf("%d records are forgotten", f.Records) }

// remembered finds the organization whose import is to be forgotten. Errors: Invalid if that is not possible.
func (s *service) remembered(ctx context.Context, in forgetFlags) (domainrealm.ID, error) {
	r, err := s.named(ctx, stringID(in.Organization))
	if err != nil {
		return 0, err
	}
	if r == 0 {
		return 0, errs.New(errs.Invalid, "There is no organization %q.", in.Organization)
	}
	run, err := s.rows.Run(ctx, r)
	if err != nil {
		return 0, err
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return 0, err
	}
	switch {
	case run == nil:
		return 0, errs.New(errs.Invalid, "Nothing was imported into the organization, or it is forgotten already.")
	case !run.Complete:
		return 0, errs.New(errs.Invalid, "The import of the organization is not complete. Run its command again first.")
	case run.Forgotten():
	case v.Realm().Deactivated:
		return 0, errs.New(errs.Invalid, "The organization is deactivated. Reactivate it first, or delete it.")
	case !in.Early && s.Clock.Now().Before(run.EndedAt.Add(keysKept)):
		return 0, errs.New(errs.Invalid, "The last import ended on %s. Until %s, later archives can be imported; "+
			"--early forgets it nevertheless.", run.EndedAt.Format(time.DateOnly),
			run.EndedAt.Add(keysKept).Format(time.DateOnly))
	}
	return r, nil
}

// wouldForget returns what import forget would do.
func (s *service) wouldForget(ctx context.Context, _ kit.Actor, in forgetFlags) (kit.Effect, error) {
	r, err := s.remembered(ctx, in)
	if err != nil {
		return kit.Effect{}, err
	}
	n, err := s.rows.CountKeys(ctx, r)
	return kit.Effect{Counts: map[string]int{"records": int(n)}, Text: fmt.Sprintf(
		"forget what became of %d records of the archive, after which no later archive can be added to them", n)}, err
}

// forgetRun deletes what is kept of the import of an organization but for the organization itself: which records of the
// archive have become what, the imports of owners with their reports, and temporary files. It continues if it was
// interrupted, and marks the run at first, so that no import uses a part of the keys.
func (s *service) forgetRun(ctx context.Context, _ kit.Actor, in forgetFlags) (forgotten, error) {
	var out forgotten
	var r domainrealm.ID
	err := s.Work.Do(ctx, func(ctx context.Context) (err error) {
		if r, err = s.remembered(ctx, in); err != nil {
			return err
		}
		if _, err := s.Log.Lock(ctx, r); err != nil {
			return err
		}
		if r, err = s.remembered(ctx, in); err != nil { // an import may have begun
			return err
		}
		return s.rows.MarkForgotten(ctx, r)
	})
	if err != nil {
		return out, err
	}
	jobs, err := s.rows.Imported(ctx, r)
	if err != nil {
		return out, err
	}
	for _, j := range jobs {
		if err := s.drop(ctx, j.RealmID, j.ID, 0); err != nil {
			return out, err
		}
	}
	name := cmp.Or(stringID(in.Organization), rootName) // never empty: that is the folder of all imports
	if err := os.RemoveAll(filepath.Join(string(s.DataDir), "imports", name)); err != nil {
		return out, err
	}
	for n := int64(perForgotten); n == perForgotten; {
		err := s.Work.Do(ctx, func(ctx context.Context) (err error) {
			n, err = s.rows.DropKeys(ctx, r, perForgotten)
			return err
		})
		if err != nil {
			return out, err
		}
		out.Records += n
	}
	return out, s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.rows.DropRun(ctx, r); err != nil {
			return err
		}
		return s.Audit.Record(ctx, audit.Fact{
			Realm: r, Action: audit.ImportForgotten, Target: audit.To(audit.Realm, r),
			New: audit.Values{"records": out.Records},
		})
	})
}

// named returns the organization with a subdomain, or 0.
func (s *service) named(ctx context.Context, subdomain string) (domainrealm.ID, error) {
	all, err := s.Realms.All(ctx)
	if err != nil {
		return 0, err
	}
	for _, id := range all {
		v, err := s.Directory.View(ctx, id)
		if err != nil {
			return 0, err
		}
		if v.Realm().StringID == subdomain {
			return id, nil
		}
	}
	return 0, nil
}
