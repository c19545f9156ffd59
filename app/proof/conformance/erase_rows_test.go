package conformance_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
)

// ofKernel lists the tables of the kernel with rows of realms. Only the first of them has rows in every realm.
var ofKernel = []string{"realm_events", "realm_logs", "log_consumers"}

// rows counts the rows in all tables with rows of realms.
func (c *counting) rows(t *testing.T, s *kittest.Server) map[string]int64 {
	t.Helper()
	all := slices.Clone(ofKernel)
	for _, table := range s.Ports.Collected.Tables() {
		if table.Owner.Of != "" {
			all = append(all, table.Name)
		}
	}
	out := map[string]int64{}
	for _, name := range all {
		n, err := c.db.From(t.Context()).NewSelect().Table(name).Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out[name] = n
	}
	return out
}

// fillTables adds a made-up row of the place's realm to each table whose number of rows is still the given one. Rows
// that belong to a row of another table come last, since that row must exist.
func (c *counting) fillTables(t *testing.T, s *kittest.Server, p *place, before map[string]int64) {
	t.Helper()
	all := s.Ports.Collected.Tables()
	key := map[string]string{}
	for _, table := range all {
		if keys := table.Key(); len(keys) > 0 {
			key[table.Name] = keys[0]
		}
	}
	for _, dependent := range []bool{false, true} {
		now := c.rows(t, s)
		for _, table := range all {
			n, counted := now[table.Name]
			if !counted || n > before[table.Name] || dependent != (key[table.Owner.Of] != "") {
				continue
			}
			s.Do(func(ctx context.Context) error { return c.addRow(ctx, p, table, key[table.Owner.Of]) })
		}
	}
}

// addRow adds a row of the place's realm to a table. If the table's owner is another table, ownerKey is the column of
// that table's key.
func (c *counting) addRow(ctx context.Context, p *place, table kit.Table, ownerKey string) error {
	// Both databases convert the text to a number if the column needs one.
	values := map[kit.Kind]any{
		kit.Plain: "9876", kit.Bool: true, kit.Time: time.Unix(4e9, 0).UTC(), kit.JSON: "[]", kit.Bytes: []byte("canary"),
	}
	row := map[string]any{}
	for _, column := range table.Columns {
		row[column.Name] = values[column.Kind]
	}
	if table.Realm != "" {
		row[table.Realm] = p.realm
	}
	switch table.Owner.Of {
	case kit.OfRealm:
	case kit.OfUser:
		row[table.Owner.Column] = p.ids["user"]
	default:
		var newest int64
		if err := c.db.From(ctx).NewSelect().Table(table.Owner.Of).ColumnExpr("MAX(?)", bun.Ident(ownerKey)).
			Scan(ctx, &newest); err != nil {
			return err
		}
		row[table.Owner.Column] = newest
	}
	if _, err := c.db.From(ctx).NewInsert().Model(&row).Table(table.Name).Exec(ctx); err != nil {
		return fmt.Errorf("%s: %w", table.Name, err)
	}
	return nil
}
