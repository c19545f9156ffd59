package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	perBlock = 10_000 // rows examined by one statement
	samples  = 3      // rows named in a finding
)

// relations returns the tables of the database by name.
func (d *Doctor) relations(ctx context.Context) (map[string]bunstore.Relation, error) {
	if d.tables != nil {
		return d.tables, nil
	}
	all, err := d.DB.Relations(ctx)
	if err != nil {
		return nil, err
	}
	d.tables = map[string]bunstore.Relation{}
	for _, r := range all {
		d.tables[r.Name] = r
	}
	return d.tables, nil
}

// wrong finds the rows that a declaration describes.
func (d *Doctor) wrong(ctx context.Context, w *kit.Wrong) ([]finding, error) {
	tables, err := d.relations(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{w.Table}, w.With...) {
		if _, exists := tables[name]; !exists {
			return nil, nil // the check of the schema reports tables that are missing
		}
	}
	s := scan{db: d.DB, wrong: w, key: tables[w.Table].Key}
	if err := s.all(ctx, s.count); err != nil {
		return nil, fmt.Errorf("%s: %w", w.Table, err)
	}
	if s.n == 0 {
		return nil, nil
	}
	f := finding{Finding: kit.Finding{Text: s.text(), Remedy: w.Remedy, Minor: w.Minor}}
	if w.Fix != "" {
		f.fix = &repair{func(ctx context.Context) error {
			if err := s.all(ctx, s.fix); err != nil {
				return fmt.Errorf("%s: %w", w.Table, err)
			}
			return nil
		}}
	}
	return []finding{f}, nil
}

// scan examines a table in blocks, in the order of its primary key.
type scan struct {
	db    *bunstore.DB
	wrong *kit.Wrong
	key   []string // the primary key

	n    int
	some []string // some of the wrong rows, as text
}

// block is a range of keys: after < key <= upto. nil means without a limit.
type block struct{ after, upto []any }

// all calls fn with each block of the table.
func (s *scan) all(ctx context.Context, fn func(context.Context, block) error) error {
	b := block{}
	for {
		var err error
		if b.upto, err = s.end(ctx, b.after); err != nil {
			return err
		}
		if err := fn(ctx, b); err != nil || b.upto == nil {
			return err
		}
		b.after = b.upto
	}
}

// columns returns the columns of the key.
func (s *scan) columns() string {
	out := make([]string, len(s.key))
	for i, k := range s.key {
		out[i] = `r."` + k + `"`
	}
	return strings.Join(out, ", ")
}

// end returns the last key of the block after a key, or nil if there are fewer rows.
func (s *scan) end(ctx context.Context, after []any) ([]any, error) {
	q := s.db.From(ctx).NewSelect().TableExpr("? AS r", bun.Ident(s.wrong.Table)).ColumnExpr(s.columns()).
		OrderExpr(s.columns()).Limit(1).Offset(perBlock - 1)
	for _, c := range s.within(block{after: after}) {
		q = q.Where(c.text, c.args...)
	}
	var last []any
	err := bunstore.Each(ctx, q, func(row []any) error {
		last = slices.Clone(row)
		return nil
	})
	return last, err
}

type condition struct {
	text string
	args []any
}

// within returns the conditions for the rows of a block.
func (s *scan) within(b block) []condition {
	var all []condition
	for _, limit := range []struct {
		is  string
		key []any
	}{{">", b.after}, {"<=", b.upto}} {
		if limit.key != nil {
			marks := strings.TrimSuffix(strings.Repeat("?, ", len(s.key)), ", ")
			all = append(all, condition{fmt.Sprintf("(%s) %s (%s)", s.columns(), limit.is, marks), limit.key})
		}
	}
	return all
}

// count counts the wrong rows of a block.
func (s *scan) count(ctx context.Context, b block) error {
	q := s.db.From(ctx).NewSelect().TableExpr("? AS r", bun.Ident(s.wrong.Table)).ColumnExpr(s.columns()).
		Where(s.wrong.Where)
	for _, c := range s.within(b) {
		q = q.Where(c.text, c.args...)
	}
	return bunstore.Each(ctx, q, func(row []any) error {
		if s.n++; s.n <= samples {
			s.some = append(s.some, s.name(row))
		}
		return nil
	})
}

// name returns the IDs in the key of a row. Texts in a key may be names.
func (s *scan) name(row []any) string {
	var ids []string
	for i, v := range row {
		if id, ok := v.(int64); ok {
			ids = append(ids, fmt.Sprintf("%s %d", s.key[i], id))
		}
	}
	return strings.Join(ids, " ")
}

// text describes the wrong rows.
func (s *scan) text() string {
	rows := "rows"
	if s.n == 1 {
		rows = "row"
	}
	text := fmt.Sprintf("%d %s of %s %s", s.n, rows, s.wrong.Table, s.wrong.Text)
	some := slices.DeleteFunc(s.some, func(name string) bool { return name == "" })
	switch {
	case len(some) == 0:
		return text
	case s.n > len(some):
		return text + ", such as " + strings.Join(some, ", ")
	}
	return text + ": " + strings.Join(some, ", ")
}

// fix repairs the wrong rows of a block in one transaction.
func (s *scan) fix(ctx context.Context, b block) error {
	before := s.n
	if err := s.count(ctx, b); err != nil || s.n == before {
		return err
	}
	t, _, err := s.db.Begin(ctx, bunstore.Changing)
	if err != nil {
		return err
	}
	defer t.Rollback()
	in := s.db.With(ctx, t)
	text, args := "WHERE ("+s.wrong.Where+")", []any{bun.Ident(s.wrong.Table)}
	for _, c := range s.within(b) {
		text += " AND " + c.text
		args = append(args, c.args...)
	}
	if s.wrong.Fix == kit.Delete {
		text = "DELETE FROM ? AS r " + text
	} else {
		text = "UPDATE ? AS r SET " + s.wrong.Fix + " " + text
	}
	if _, err := s.db.From(in).NewRaw(text, args...).Exec(in); err != nil {
		return err
	}
	return t.Commit(ctx)
}
