package audit

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about the audit log.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("audit list", s.listCommand, "List the newest entries of the audit log."),
		kit.NewCommand("audit verify", s.verifyCommand, "Verify that no entry was changed, removed or inserted."),
		kit.NewExport("audit export", s.exportCommand, "Write the audit log to a file, oldest entries first."),
	}
}

// selection holds the flags that select entries.
type selection struct {
	Since  string  `placeholder:"TIME" help:"Only entries from this time on, such as 2026-01-31 or 2026-01-31T12:00:00Z."`
	Until  string  `placeholder:"TIME" help:"Only entries before this time."`
	Action string  `placeholder:"ACTION" help:"Only this action, such as user.created, or all that begin with 'user.'."`
	Actor  user.ID `placeholder:"USER-ID" help:"Only what this user has done."`
	Target string  `placeholder:"KIND[:ID]" help:"Only what was done to this target, such as user:17 or channel."`
}

// query returns the query for a selection. Errors: Invalid.
func (f selection) query(a kit.Actor) (audit.Query, error) {
	kind, id, _ := strings.Cut(f.Target, ":")
	q := audit.Query{
		Realm: a.Realm, Action: f.Action, Actor: f.Actor, TargetKind: audit.Kind(kind), Target: id,
	}
	for _, t := range []struct {
		flag, text string
		at         *time.Time
	}{{"--since", f.Since, &q.Since}, {"--until", f.Until, &q.Until}} {
		if t.text == "" {
			continue
		}
		var err error
		if *t.at, err = time.Parse(time.RFC3339, t.text); err == nil {
			continue
		}
		if *t.at, err = time.Parse(time.DateOnly, t.text); err != nil {
			return q, errs.New(errs.Invalid, "%s: want a time such as 2026-01-31 or 2026-01-31T12:00:00Z, got %q",
				t.flag, t.text)
		}
	}
	if f.Action != "" && !known(f.Action) {
		return q, errs.New(errs.Invalid, "--action: there is no action %q", f.Action)
	}
	return q, nil
}

type listFlags struct {
	selection
	Limit int `default:"50" help:"Maximum number of entries."`
}

func (s *service) listCommand(ctx context.Context, a kit.Actor, in listFlags) ([]listed, error) {
	q, err := in.query(a)
	if err != nil {
		return nil, err
	}
	q.Before, q.Limit = audit.Newest, max(1, in.Limit)
	all, err := s.entries(ctx, q)
	out := make([]listed, len(all))
	for i, e := range all {
		out[i] = listed{
			ID: e.ID, Time: e.Time, Who: e.Who(), Action: e.Action, On: e.On(), IP: e.IP, Outcome: e.Outcome,
			Before: string(e.Before), After: string(e.After),
		}
	}
	return out, err
}

// listed is an entry in the output of audit list.
type listed struct {
	ID      int64        `json:"id"`
	Time    time.Time    `json:"time"`
	Who     string       `json:"actor"`
	Action  audit.Action `json:"action"`
	On      string       `json:"target"`
	IP      string       `json:"ip"`
	Outcome string       `json:"outcome"`
	Before  string       `json:"before" table:"-"`
	After   string       `json:"after" table:"-"`
}

// String describes the result for people.
func (v verified) String() string {
	text := fmt.Sprintf("The audit log is undamaged: %d entries up to %d, with the hash %s.", v.Entries, v.Head, v.Hash)
	if v.Erased > 0 {
		text += fmt.Sprintf("\nThe personal data in %d of their parts was erased.", v.Erased)
	}
	return text
}

func (s *service) verifyCommand(ctx context.Context, a kit.Actor, _ kit.None) (verified, error) {
	return s.verify(ctx, a.Realm)
}

type exportFlags struct {
	selection
	Format string `default:"jsonl" enum:"jsonl,csv,mattermost,ocsf,cef" help:"jsonl, csv, mattermost (its audit log), ocsf (Open Cybersecurity Schema Framework) or cef (ArcSight)."`
}

func (s *service) exportCommand(ctx context.Context, a kit.Actor, in exportFlags, to io.Writer) error {
	q, err := in.query(a)
	if err != nil {
		return err
	}
	w, err := audit.NewWriter(to, in.Format)
	if err != nil {
		return err
	}
	err = s.Audit.Record(ctx, audit.Fact{
		Realm: a.Realm, Action: audit.AuditLogRead, Target: audit.To(audit.Realm, a.Realm),
		New: audit.Values{"format": in.Format},
	})
	if err != nil {
		return err
	}
	q.Limit = maxLimit
	for {
		page, err := s.entries(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := w.Write(e); err != nil {
				return err
			}
			q.After = e.ID
		}
		if len(page) < maxLimit {
			return w.Flush()
		}
	}
}
