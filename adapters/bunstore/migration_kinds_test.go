package bunstore_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// stated returns migrations by their names and texts.
func stated(texts ...string) bunstore.Migrations {
	fs := fstest.MapFS{}
	for _, t := range texts {
		name, text, _ := strings.Cut(t, " ")
		fs["migrations/"+name+".sql"] = &fstest.MapFile{Data: []byte(text)}
	}
	return bunstore.Migrations{Module: "m", FS: fs}
}

const (
	older  = "001_a -- expand: adds a table.\nCREATE TABLE a (old text)"
	grown  = "002_b -- expand: adds a column.\nALTER TABLE a ADD COLUMN new text"
	shrunk = "003_c -- contract of 002_b: drops a column.\nALTER TABLE a DROP COLUMN old"
)

// Each header that is wrong is reported.
func TestCheckKinds(t *testing.T) {
	released := func(name string) bool { return name < "002" }
	for _, c := range []struct{ step, want string }{
		{grown, ""},
		{"002_b -- Formerly 002_x.\n-- expand: adds a column.\n", ""},
		{"002_b -- contract of 001_a: drops a table.\n", ""},
		{"002_b ALTER TABLE a ADD COLUMN new text", "must begin with"},
		{"002_b -- expand:\n", "must begin with"},
		{"002_b -- Adds a column.\n-- expand: adds a column.\n", "must begin with"},
		{"002_b -- contract: drops a table.\n", "must name the migration"},
		{"002_b -- contract of 003_c: drops a table.\n", "not an earlier migration"},
		{"002_b -- contract of 001_a, required: drops a table.\n", "only when a release has contained it"},
		{"003_c -- contract of 002_b: drops a column.\n", "no release has contained"},
	} {
		steps := []string{older, c.step}
		if strings.HasPrefix(c.step, "003") {
			steps = []string{older, grown, c.step}
		}
		got := bunstore.CheckKinds(stated(steps...), released)
		if len(got) > 1 || len(got) == 1 != (c.want != "") || !strings.Contains(strings.Join(got, ""), c.want) {
			t.Errorf("%q: got %q, want %q", c.step, got, c.want)
		}
	}
}

// Two versions share a database until the upgrade is finished.
func TestVersionsSideBySide(t *testing.T) {
	db := storetest.Open(t)
	before := []bunstore.Migrations{stated(older)}
	must(t, db.Upgrade(bg, before, bunstore.Upgrade{Version: "1"}))
	after := []bunstore.Migrations{stated(older, grown, shrunk)}
	must(t, db.Upgrade(bg, after, bunstore.Upgrade{Version: "2"}))
	columns := func() []string {
		all, err := db.Schema(bg)
		must(t, err)
		var names []string
		for _, c := range all {
			if c.Table == "a" {
				names = append(names, c.Column)
			}
		}
		return names
	}
	if got := columns(); !slices.Equal(got, []string{"new", "old"}) {
		t.Errorf("after the upgrade: columns %v", got)
	}
	for _, all := range [][]bunstore.Migrations{before, after} {
		if _, err := db.Migrations(bg, all); err != nil {
			t.Error(err)
		}
	}
	must(t, db.Upgrade(bg, after, bunstore.Upgrade{Version: "2", Finish: true}))
	if got := columns(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("after its end: columns %v", got)
	}
	const want = "program (2) has changed the tables of module m (step 003_c), and this version cannot use them"
	if _, err := db.Migrations(bg, before); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the earlier version got %v", err)
	}
	// The release after that relies on the end of the upgrade, whoever skipped it.
	skipped := storetest.Open(t)
	must(t, skipped.Upgrade(bg, before, bunstore.Upgrade{Version: "1"}))
	required := strings.Replace(shrunk, "002_b:", "002_b, required:", 1)
	must(t, skipped.Upgrade(bg, []bunstore.Migrations{stated(older, grown, required)}, bunstore.Upgrade{Version: "3"}))
	records, err := skipped.Records(bg)
	must(t, err)
	if last := records[len(records)-1]; last.Name != "003_c" || last.Kind != bunstore.Contract || last.Version != "3" {
		t.Errorf("the last record is %+v", last)
	}
	// A new database is complete at once.
	empty := storetest.Open(t)
	must(t, empty.Upgrade(bg, after, bunstore.Upgrade{Version: "2"}))
	steps, err := empty.Migrations(bg, after)
	must(t, err)
	if got := states(steps); got != "[m/001_a true m/002_b true m/003_c true]" {
		t.Errorf("a new database has %s", got)
	}
}

// The table of an earlier version, which recorded no kinds, is kept.
func TestLedgerOfEarlierVersion(t *testing.T) {
	db := storetest.Open(t)
	tx, _, err := db.Begin(bg, bunstore.Changing)
	must(t, err)
	_, err = tx.Run(bg, `CREATE TABLE schema_migrations
		(module text NOT NULL, name text NOT NULL, applied_at text NOT NULL, PRIMARY KEY (module, name))`,
		"INSERT INTO schema_migrations VALUES ('m', '001_a', CURRENT_TIMESTAMP)", "CREATE TABLE a (old text)")
	must(t, err)
	must(t, tx.Commit(bg))
	all := []bunstore.Migrations{stated(older, grown, shrunk)}
	for _, want := range []string{
		"[m/001_a true m/002_b false m/003_c false]", "[m/001_a true m/002_b true m/003_c false]",
	} {
		steps, err := db.Migrations(bg, all)
		must(t, err)
		if got := states(steps); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		must(t, db.Upgrade(bg, all, bunstore.Upgrade{}))
	}
}
