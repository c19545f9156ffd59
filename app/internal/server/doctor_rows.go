package server

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/app/internal/secret"
	"github.com/stoachat/stoa/modules/kit"
)

// rowDiagnoses returns the checks of what modules declare about their rows.
func (s *Server) rowDiagnoses(running bool) []kit.Diagnosis {
	all := []kit.Diagnosis{{
		Name: "owners", Doc: "Each row belongs to an organization, user or row that exists.", Wrong: s.orphans(),
	}, {
		Name: "leases", Doc: "Only servers that run hold work.", Run: s.examineLeases,
		Fix: func(ctx context.Context) error {
			return s.kernel.Do(ctx, func(ctx context.Context) error {
				return nodes.Free(ctx, s.db, s.leases(), s.options.Clock.Now())
			})
		},
	}, {
		Name: "secret", Doc: "What is encrypted in the database can be decrypted with the server's secret.",
		Run: s.examineSecret,
	}, {
		Name: "clocks", Doc: "The clocks of the servers and of the database agree.", Run: s.examineClocks,
	}}
	if running {
		all = append(all, kit.Diagnosis{
			Name: "jobs", Doc: "Jobs run in time.",
			Run: func(ctx context.Context) ([]kit.Finding, error) {
				late, err := s.jobs.Overdue(ctx)
				return findings(late, "look in the log for the errors of the job, and restart the server", true), err
			},
		})
	}
	return all
}

// orphans declares the rows whose owner does not exist, in all tables.
func (s *Server) orphans() []kit.Wrong {
	var all []kit.Wrong
	for _, t := range s.modules.Tables() {
		owner, key, text := t.Owner.Of, "id", "belong to no row of "+t.Owner.Of
		switch owner {
		case "":
			continue
		case kit.OfRealm:
			owner, text = "realms", "belong to no organization"
		case kit.OfUser:
			owner, text = "users", "belong to no user"
		default:
			key = s.keyOf(owner)
		}
		if owner == t.Name {
			continue
		}
		all = append(all, kit.Wrong{
			Table: t.Name, With: []string{owner}, Text: text, Fix: kit.Delete,
			Where: fmt.Sprintf("r.%[1]s <> 0 AND NOT EXISTS (SELECT 1 FROM %[2]s o WHERE o.%[3]s = r.%[1]s)",
				t.Owner.Column, owner, key),
		})
	}
	return all
}

// keyOf returns the column of a table's primary key.
func (s *Server) keyOf(table string) string {
	for _, t := range s.modules.Tables() {
		if t.Name == table {
			return t.Key()[0]
		}
	}
	return ""
}

func (s *Server) examineLeases(ctx context.Context) ([]kit.Finding, error) {
	var all []kit.Finding
	for _, l := range s.leases() {
		n, err := s.db.From(ctx).NewSelect().Table(l.Table).
			Where(l.Column + " <> '' AND " + l.Column + " NOT IN (SELECT id FROM nodes)").Count(ctx)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			all = append(all, kit.Finding{
				Text: fmt.Sprintf("%d rows of %s are held by servers that do not run", n, l.Table), Minor: true,
			})
		}
	}
	return all, nil
}

func (s *Server) examineSecret(ctx context.Context) ([]kit.Finding, error) {
	sealer := secret.New(string(s.Config.Settings.Secret), s.Config.Settings.DataDir)
	var all []kit.Finding
	for _, t := range s.modules.Tables() {
		if t.Sealed == "" {
			continue
		}
		var sealed []string
		err := s.db.From(ctx).NewSelect().Table(t.Name).Column("secret").Limit(1).Scan(ctx, &sealed)
		if err != nil {
			return nil, err
		}
		if len(sealed) == 0 {
			continue
		}
		if _, err := sealer.Open(t.Sealed, sealed[0]); err != nil {
			all = append(all, kit.Finding{
				Text:   "the secret in the table " + t.Name + " can't be decrypted",
				Remedy: "set STOA_SECRET, or the file secret in data_dir, to what it was, on all servers",
			})
		}
	}
	return all, nil
}

// maxSkew is how much clocks may differ.
const maxSkew = 30 * time.Second

func (s *Server) examineClocks(ctx context.Context) ([]kit.Finding, error) {
	const remedy = "synchronize the clocks of all machines, such as with chrony"
	all, err := nodes.AllServing(ctx, s.db)
	if err != nil {
		return nil, err
	}
	now := s.options.Clock.Now()
	var out []kit.Finding
	for _, n := range all {
		if ahead := n.RenewedAt.Sub(now); ahead > maxSkew {
			out = append(out, kit.Finding{
				Text:   fmt.Sprintf("the clock of the server %s is %v ahead", n.ID, ahead.Round(time.Second)),
				Remedy: remedy, Minor: true,
			})
		}
	}
	if s.db.OneWriter() {
		return out, nil // the database has no clock of its own
	}
	var at time.Time
	if err := s.db.From(ctx).NewRaw("SELECT now()").Scan(ctx, &at); err != nil {
		return nil, err
	}
	if skew := at.Sub(now).Abs(); skew > maxSkew {
		out = append(out, kit.Finding{
			Text:   fmt.Sprintf("the clock of the database differs by %v", skew.Round(time.Second)),
			Remedy: remedy, Minor: true,
		})
	}
	return out, nil
}
