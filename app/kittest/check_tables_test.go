package kittest_test

import (
	"slices"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// Every table that the migrations create is declared once.
func TestTables(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		var db *bunstore.DB
		var collected *kit.Collected
		type needs struct {
			fx.In
			DB        *bunstore.DB
			Collected *kit.Collected
		}
		inspect := func(_ kit.None, n needs) (kit.Parts, error) {
			db, collected = n.DB, n.Collected
			return kit.Parts{}, nil
		}
		inspector := kit.Define("inspector", "Reads the declarations.", kit.None{}, inspect)
		kittest.StartWith(t, kittest.Options{DatabaseURL: url}, append(standard.Modules(), inspector)...)
		schema, err := db.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range kittest.Undeclared(schema, collected.Tables()) {
			t.Error(problem)
		}
	})
}

func TestUndeclared(t *testing.T) {
	schema := []bunstore.Column{
		{Table: "cards", Column: "id", Key: true}, {Table: "cards", Column: "color"}, {Table: "cards", Column: "realm_id"},
		{Table: "stamps", Column: "id", Key: true}, {Table: "nodes", Column: "id", Key: true},
	}
	cards := kit.Table{Name: "cards", Columns: []kit.Column{{Name: "id", Key: true}, {Name: "color"}, {Name: "realm_id"}}}
	stamps := kit.Table{Name: "stamps", Columns: []kit.Column{{Name: "id", Key: true}}}
	for _, c := range []struct {
		name     string
		declared []kit.Table
		want     []string
	}{
		{"sound", []kit.Table{cards, stamps}, nil},
		{"undeclared", []kit.Table{cards}, []string{"the table stamps is not declared; see Tables in modules/README.md"}},
		{"declared twice", []kit.Table{cards, stamps, cards},
			[]string{"the table cards does not exist, or is declared twice"}},
		{"other columns", []kit.Table{stamps, {Name: "cards", Columns: []kit.Column{{Name: "id"}, {Name: "size"}}}}, []string{
			"the column cards.color is not declared",
			"the column cards.id is in only one of the table's primary key and the declared one",
			"the column cards.realm_id is not declared",
			"the column cards.size is declared, but does not exist",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := kittest.Undeclared(schema, c.declared); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
