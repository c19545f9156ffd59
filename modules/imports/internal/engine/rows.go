package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/modules/imports/internal/store"
	"github.com/stoachat/stoa/modules/kit"
)

// pending is a row to be inserted.
type pending struct {
	row   reflect.Value // a pointer
	there int64         // its ID in the source, if the database assigns one here
	waits bool          // for another row of the table
}

// insert inserts those rows of a table that are not known, in waves if they refer to each other.
func (t *task) insert(ctx context.Context, table kit.Table, rows []importing.Row) error {
	if t.ids[table.Name] == nil {
		t.ids[table.Name] = map[int64]int64{}
	}
	known := map[importing.Key]store.Key{}
	if !t.DryRun {
		var err error
		if known, err = t.Store.All(ctx, t.realm, table.Name); err != nil {
			return err
		}
	}
	if err := t.meetAll(ctx, table.Name, known); err != nil {
		return err
	}
	for k, at := range known {
		t.ids[table.Name][t.number(table.Name, k)] = at.ID
	}
	for len(rows) > 0 {
		var now []pending
		var later []importing.Row
		coming := t.coming(table, rows)
		for _, r := range rows {
			p, err := t.decode(table, r, coming)
			switch {
			case err != nil:
				t.report.Count(kindOf(table.Name), importing.Refused, err.Error(), example(r))
			case p == nil: // left out by the module, or known
			case p.waits:
				later = append(later, r)
			default:
				now = append(now, *p)
			}
		}
		if len(now) == 0 && len(later) > 0 { // they refer to each other in a circle
			for _, r := range later {
				t.report.Count(kindOf(table.Name), importing.Refused, "refers to itself through others", example(r))
			}
			return nil
		}
		if err := t.insertWave(ctx, table, now); err != nil {
			return err
		}
		rows = later
	}
	return nil
}

// coming returns the IDs in the source of the rows that are about to be inserted.
func (t *task) coming(table kit.Table, rows []importing.Row) map[int64]bool {
	all := map[int64]bool{}
	for _, r := range rows {
		var one struct {
			ID int64 `json:"id"`
		}
		if json.Unmarshal(r.Line, &one) == nil && one.ID != 0 {
			if _, known := t.ids[table.Name][one.ID]; !known {
				all[one.ID] = true
			}
		}
	}
	return all
}

func example(r importing.Row) string { return fmt.Sprintf("%s: %.200s", r.Table, r.Line) }

// decode makes a row of a line, or returns nil if the row exists or is to be left out. coming are the rows of the same
// table that do not exist yet.
func (t *task) decode(table kit.Table, r importing.Row, coming map[int64]bool) (*pending, error) {
	var line map[string]json.RawMessage
	if err := importing.Decode(r.Line, &line); err != nil {
		return nil, fmt.Errorf("not a line of JSON: %w", err)
	}
	p := &pending{row: reflect.New(table.Row)}
	for _, f := range table.Fields() {
		to := p.row.Elem().FieldByIndex(f.Index)
		i := slices.IndexFunc(table.Columns, func(c kit.Column) bool { return c.Name == f.Column })
		c := table.Columns[i]
		if f.Column == table.Realm {
			to.SetInt(int64(t.realm))
			continue
		}
		text, ok := line[f.Column]
		if !ok || !c.Exported || string(text) == "null" {
			continue
		}
		if err := set(to, c.Kind, text); err != nil {
			return nil, fmt.Errorf("the value of %s is invalid", f.Column)
		}
		if f.Auto {
			p.there = to.Int()
			to.SetInt(0)
			continue
		}
		if in := t.refers[f.Type]; in != "" && to.Int() != 0 {
			here, ok := t.ids[in][to.Int()]
			switch {
			case ok:
				to.SetInt(here)
			case in == table.Name && coming[to.Int()]:
				p.waits = true
				return p, nil
			case in == groupsTable && to.Int() < firstCustomGroup:
			case c.Key:
				return nil, fmt.Errorf("%s refers to what is not in the archive", f.Column)
			default:
				to.SetInt(0)
			}
		}
	}
	if _, known := t.ids[table.Name][p.there]; known && p.there != 0 {
		t.report.Count(kindOf(table.Name), importing.Imported, "", "")
		return nil, nil
	}
	if table.Adapt != nil {
		keep, err := table.Adapt(t.mapping(), p.row.Interface())
		if err != nil {
			return nil, err
		}
		if !keep {
			t.report.Count(kindOf(table.Name), importing.Skipped, "belongs to the other server", "")
			return nil, nil
		}
	}
	return p, nil
}

const firstCustomGroup = 101

// set sets a field to a value of a line.
func set(to reflect.Value, kind kit.Kind, text json.RawMessage) error {
	if kind == kit.JSON && to.Kind() == reflect.String {
		var out bytes.Buffer
		if err := json.Compact(&out, text); err != nil {
			return err
		}
		to.SetString(out.String())
		return nil
	}
	return json.Unmarshal(text, to.Addr().Interface())
}

// insertWave inserts rows, and records their IDs.
func (t *task) insertWave(ctx context.Context, table kit.Table, all []pending) error {
	if len(all) == 0 {
		return nil
	}
	t.report.Add(kindOf(table.Name), importing.Imported, int64(len(all)), "", "")
	auto := slices.ContainsFunc(table.Fields(), func(f kit.Field) bool { return f.Auto })
	if t.DryRun {
		for _, p := range all {
			t.last++
			t.ids[table.Name][p.there] = t.last
		}
		return nil
	}
	if table.Name == realmsTable {
		return t.updateRealm(ctx, all[0].row)
	}
	rows := reflect.New(reflect.SliceOf(table.Row))
	for _, p := range all {
		rows.Elem().Set(reflect.Append(rows.Elem(), p.row.Elem()))
	}
	ids, err := t.Store.Insert(ctx, rows.Interface(), auto)
	if err != nil || !auto {
		return err
	}
	keys := make([]store.Key, len(all))
	names := map[int64]importing.Key{}
	for k, n := range t.numbers[table.Name] {
		names[n] = k
	}
	for i, p := range all {
		t.ids[table.Name][p.there] = ids[i]
		keys[i] = store.Key{
			Realm: t.realm, Kind: table.Name, ID: ids[i],
			Key: cmp.Or(names[p.there], importing.Key(strconv.FormatInt(p.there, 10))),
		}
	}
	return t.Store.Add(ctx, keys...)
}

// updateRealm takes over the settings of the organization, the first time.
func (t *task) updateRealm(ctx context.Context, row reflect.Value) error {
	known, err := t.Store.Known(ctx, t.realm, realmsTable, []importing.Key{"settings"})
	if err != nil || len(known) > 0 {
		return err
	}
	err = t.Store.Update(ctx, row.Interface(), "settings", "retention_days", "domains", "last_domain", "user_defaults")
	if err != nil {
		return err
	}
	return t.Store.Add(ctx, store.Key{Realm: t.realm, Kind: realmsTable, Key: "settings", ID: int64(t.realm)})
}
