package exports

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// perPage is the maximum number of rows read per page.
const perPage = 500

// table holds the columns to read of a declared table.
type table struct {
	kit.Table
	names                    []string // the columns, with exported ones first
	kinds                    []kit.Kind
	exported                 int   // number of exported columns
	key                      []int // indexes of the primary key's columns in names
	consent, public, channel int   // indexes of these columns in names; -1: none
	private                  []string
}

func newTable(declared kit.Table) *table {
	t := &table{Table: declared, private: declared.PrivateKeys()}
	for _, c := range declared.Columns {
		if c.Exported {
			t.names, t.kinds = append(t.names, c.Name), append(t.kinds, c.Kind)
		}
	}
	t.exported = len(t.names)
	for _, k := range declared.Key() {
		t.key = append(t.key, t.column(k))
	}
	t.consent, t.public, t.channel = t.column(t.Consent), t.column(t.Public), t.column(t.Channel)
	return t
}

// column returns the index of a column in t.names, adding it if necessary, or -1 if name is "".
func (t *table) column(name string) int {
	if name == "" {
		return -1
	}
	i := slices.Index(t.names, name)
	if i < 0 {
		i = len(t.names)
		t.names, t.kinds = append(t.names, name), append(t.kinds, kit.Plain)
	}
	return i
}

// rowsPrivate reports whether a row as a whole requires consent.
func (t *table) rowsPrivate() bool { return t.consent >= 0 && t.private == nil && t.public < 0 }

// Page returns the page of a table's rows that follows the cursor after, without rows that are not in scope.
func (s store) Page(ctx context.Context, t *table, scope *export.Scope, after string) (export.Page, error) {
	idents, keys := make([]string, len(t.names)), make([]string, len(t.key))
	for i, name := range t.names {
		idents[i] = quote(name)
	}
	for i, k := range t.key {
		keys[i] = idents[k]
	}
	q := s.db.From(ctx).NewSelect().TableExpr("?", bun.Ident(t.Name)).ColumnExpr(strings.Join(idents, ", ")).
		Where("? = ?", bun.Ident(t.Realm), scope.View.Realm().ID).
		OrderExpr(strings.Join(keys, ", ")).Limit(perPage)
	if after != "" {
		from, err := t.decode(after)
		if err != nil {
			return export.Page{}, err
		}
		q = q.Where("("+strings.Join(keys, ", ")+") > (?)", bun.List(from))
	}
	var page export.Page
	n := 0
	err := bunstore.Each(ctx, q, func(row []any) error {
		if n++; n == perPage {
			var err error
			if page.Next, err = t.encode(row); err != nil {
				return err
			}
		}
		if !t.inScope(scope, row) {
			return nil
		}
		line, err := t.line(scope, row)
		page.Lines = append(page.Lines, line)
		return err
	})
	return page, err
}

// quote quotes a column name. Names are constants that need no escaping.
func quote(name string) string { return `"` + name + `"` }

// encode returns a row's primary key as a cursor.
func (t *table) encode(row []any) (string, error) {
	key := make([]any, len(t.key))
	for i, k := range t.key {
		key[i] = row[k]
	}
	text, err := json.Marshal(key)
	return string(text), err
}

func (t *table) decode(cursor string) ([]any, error) {
	var key []any
	d := json.NewDecoder(strings.NewReader(cursor))
	d.UseNumber()
	if err := d.Decode(&key); err != nil || len(key) != len(t.key) {
		return nil, fmt.Errorf("%q is not a cursor of table %s", cursor, t.Name)
	}
	for i, k := range key {
		if n, is := k.(json.Number); is {
			var err error
			if key[i], err = n.Int64(); err != nil {
				return nil, err
			}
		}
	}
	return key, nil
}

// inScope reports whether a row is in scope.
func (t *table) inScope(s *export.Scope, row []any) bool {
	if t.channel >= 0 {
		if id := channel.ID(number(row[t.channel])); id != 0 && !s.Channel(id) {
			return false
		}
	}
	private := t.rowsPrivate() || t.public >= 0 && !isTrue(row[t.public])
	return !private || s.Private(user.ID(number(row[t.consent])))
}

// line returns the exported columns of a row.
func (t *table) line(s *export.Scope, row []any) (kit.Object, error) {
	whole := t.private == nil || s.Private(user.ID(number(row[t.consent])))
	line := make(kit.Object, t.exported)
	for i := range t.exported {
		name := t.names[i]
		if !whole && slices.Contains(t.private, name) {
			continue
		}
		var err error
		if line[name], err = value(t.kinds[i], row[i]); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Name, name, err)
		}
	}
	return line, nil
}

// value converts a value returned by the database driver, whose type depends on the database, to one for JSON.
func value(kind kit.Kind, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch kind {
	case kit.Bool:
		return isTrue(v), nil
	case kit.Time:
		return bunstore.Time(v)
	case kit.JSON:
		text, ok := v.(string)
		if !ok || text == "" {
			return nil, nil
		}
		var out bytes.Buffer
		if err := json.Compact(&out, []byte(text)); err != nil {
			return nil, err
		}
		return json.RawMessage(out.Bytes()), nil
	case kit.Plain:
		switch v.(type) {
		case int64, string:
			return v, nil
		}
	}
	return nil, fmt.Errorf("a value of type %T in a column declared as %q", v, kind)
}

func isTrue(v any) bool { return v == true || number(v) != 0 }

func number(v any) int64 {
	n, _ := v.(int64)
	return n
}
