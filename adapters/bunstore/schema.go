package bunstore

import (
	"context"
	"fmt"
	"strings"
)

// Column is a column of the actual schema.
type Column struct {
	Table    string
	Column   string
	Nullable bool
	Type     string // as the database names it, in lower case
	Key      bool   // part of the primary key
	Position int    // in the primary key, from 1
}

// Schema returns the columns of all tables, sorted by name. After all migrations, they are the same on both databases.
func (db *DB) Schema(ctx context.Context) ([]Column, error) {
	var all []Column
	if err := db.From(ctx).NewRaw(db.dialect.columns()).Scan(ctx, &all); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return all, nil
}

// Differences describes the differences between two schemas.
func Differences(a, b []Column) []string {
	var out []string
	in := map[string]bool{}
	for _, c := range b {
		in[c.String()] = true
	}
	for _, c := range a {
		if !in[c.String()] {
			out = append(out, "only in the first: "+c.String())
		}
		delete(in, c.String())
	}
	for _, c := range b {
		if in[c.String()] {
			out = append(out, "only in the second: "+c.String())
		}
	}
	return out
}

func (c Column) String() string {
	null := " not null"
	if c.Nullable {
		null = ""
	}
	return strings.Join([]string{c.Table, ".", c.Column, null}, "")
}
