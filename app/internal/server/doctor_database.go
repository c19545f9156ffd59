package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
)

const restoreBackup = "stop the server and restore a backup"

func (s *Server) databaseDiagnoses(x Examination, running bool) []kit.Diagnosis {
	compact, entries := "", ""
	if running {
		compact = "stop the server, then " + x.Command("doctor --fix --only server.space")
		entries = "stop the server, then " + x.Command("doctor --fix --only server.entries")
	}
	return []kit.Diagnosis{{
		Name: "database", Doc: "The database can be read as a whole.",
		Run: func(ctx context.Context) ([]kit.Finding, error) { return s.examinePages(ctx, entries) },
	}, {
		Name: "migrations", Doc: "The database has the tables of this version.",
		Run: func(ctx context.Context) ([]kit.Finding, error) { return nil, s.upToDate(ctx) },
	}, {
		Name: "schema", Doc: "No table, column or index of this version is missing.",
		Run: s.examineSchema, Fix: s.createIndexes,
	}, {
		Name: "entries", Doc: "The indexes have the entries of their tables.", Offline: s.db.File() != "",
		Run: s.examineEntries, Fix: s.db.Reindex,
	}, {
		Name: "wal", Doc: "The write-ahead log of SQLite is emptied from time to time.",
		Run: s.examineWAL, Fix: func(ctx context.Context) error { return s.db.Checkpoint(ctx, 0) },
	}, {
		Name: "space", Doc: "Most of the database's file is in use.",
		Run: func(ctx context.Context) ([]kit.Finding, error) { return s.examineSpace(ctx, compact) },
		Fix: s.db.Compact,
	}}
}

// findings returns a finding for each text.
func findings(texts []string, remedy string, minor bool) []kit.Finding {
	var all []kit.Finding
	for _, text := range texts {
		all = append(all, kit.Finding{Text: text, Remedy: remedy, Minor: minor})
	}
	return all
}

// examinePages reads the whole database. Damage that is only in the entries of indexes is left to examineEntries, which
// repairs it, unless a server is running.
func (s *Server) examinePages(ctx context.Context, entries string) ([]kit.Finding, error) {
	err := s.db.Verify(ctx)
	var damage *bunstore.DamageError
	switch {
	case err == nil, errors.Is(err, bunstore.ErrNotSQLite), ctx.Err() != nil:
		return nil, ctx.Err()
	case !errors.As(err, &damage) || !damage.OfEntries():
		return []kit.Finding{{Text: err.Error(), Remedy: restoreBackup}}, nil
	case entries == "":
		return nil, nil
	}
	return []kit.Finding{{Text: err.Error(), Remedy: entries}}, nil
}

// examineEntries compares indexes with their tables, unless the database is so damaged that it must be restored.
func (s *Server) examineEntries(ctx context.Context) ([]kit.Finding, error) {
	if damaged, err := s.examinePages(ctx, ""); err != nil || len(damaged) > 0 {
		return nil, err
	}
	lines, err := s.db.CheckEntries(ctx)
	return findings(lines, "", false), err
}

func (s *Server) examineSchema(ctx context.Context) ([]kit.Finding, error) {
	missing, err := s.missingColumns(ctx)
	if err != nil {
		return nil, err
	}
	all := findings(missing, restoreBackup, false)
	indexes, err := s.missingIndexes(ctx)
	for _, i := range indexes {
		all = append(all, kit.Finding{Text: fmt.Sprintf("the index %s of the table %s is missing", i.Name, i.Table)})
	}
	return all, err
}

// missingColumns compares the schema with that of an empty database.
func (s *Server) missingColumns(ctx context.Context) ([]string, error) {
	empty, err := bunstore.Open(ctx, bunstore.Config{URL: "sqlite::memory:"})
	if err != nil {
		return nil, err
	}
	defer func() { _ = empty.Close() }()
	if err := empty.Migrate(ctx, s.Migrations()); err != nil {
		return nil, err
	}
	want, err := empty.Schema(ctx)
	if err != nil {
		return nil, err
	}
	have, err := s.db.Schema(ctx)
	if err != nil {
		return nil, err
	}
	columns, tables := map[string]bool{}, map[string]bool{}
	for _, c := range have {
		columns[c.Table+"."+c.Column], tables[c.Table] = true, true
	}
	var missing []string
	for _, c := range want {
		switch {
		case !tables[c.Table]:
			missing = append(missing, "the table "+c.Table+" is missing")
		case !columns[c.Table+"."+c.Column]:
			missing = append(missing, fmt.Sprintf("the column %s of the table %s is missing", c.Column, c.Table))
		}
	}
	return slices.Compact(missing), nil
}

// missingIndexes returns the indexes that are missing in tables that exist.
func (s *Server) missingIndexes(ctx context.Context) ([]bunstore.Index, error) {
	declared, err := s.db.DeclaredIndexes(s.Migrations())
	if err != nil {
		return nil, err
	}
	exists, err := s.db.HasIndexes(ctx, declared)
	if err != nil {
		return nil, err
	}
	relations, err := s.db.Relations(ctx)
	return slices.DeleteFunc(declared, func(i bunstore.Index) bool {
		return exists[i.Name] ||
			!slices.ContainsFunc(relations, func(r bunstore.Relation) bool { return r.Name == i.Table })
	}), err
}

func (s *Server) createIndexes(ctx context.Context) error {
	missing, err := s.missingIndexes(ctx)
	for _, i := range missing {
		if err := s.db.CreateIndex(ctx, i); err != nil {
			return fmt.Errorf("create the index %s: %w", i.Name, err)
		}
	}
	return err
}

func (s *Server) examineWAL(context.Context) ([]kit.Finding, error) {
	file := s.db.File()
	if file == "" {
		return nil, nil
	}
	info, err := os.Stat(file + "-wal")
	if err != nil || info.Size() < 4*walLimit {
		return nil, nil //nolint:nilerr // there is none
	}
	return []kit.Finding{{Text: fmt.Sprintf("the write-ahead log has %d MiB", info.Size()>>20), Minor: true}}, nil
}

// minUnused is how many bytes of a database must be unused to be worth compacting it.
const minUnused = 16 << 20

func (s *Server) examineSpace(ctx context.Context, remedy string) ([]kit.Finding, error) {
	sp, err := s.db.Space(ctx)
	if err != nil || sp.Unused < minUnused || sp.Unused < sp.Bytes/2 {
		return nil, err
	}
	return []kit.Finding{{
		Text:  fmt.Sprintf("%d of %d MiB of the database's file are unused", sp.Unused>>20, sp.Bytes>>20),
		Minor: true, Remedy: remedy,
	}}, nil
}

// oneLine returns the text of an error in one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
