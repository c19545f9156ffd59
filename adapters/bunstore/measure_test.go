package bunstore

import "testing"

func TestClassOf(t *testing.T) {
	for statement, want := range map[string]string{
		"SELECT 1":                              "select",
		"  (SELECT 1)":                          "select",
		"COMMIT":                                "commit",
		"BEGIN IMMEDIATE":                       "begin",
		"WITH x AS (SELECT 1) SELECT * FROM x":  "with",
		"insert into x":                         "insert",
		"ROLLBACK;":                             "rollback",
		"-- Formerly 001_x.\nCREATE TABLE y ()": "schema",
		"ALTER TABLE x":                         "schema",
		"PRAGMA wal_checkpoint":                 "schema",
		"":                                      "schema",
		"BEGIN; SET LOCAL x = 1":                "begin",
	} {
		if got := classOf(statement); got != want {
			t.Errorf("%q: %s, want %s", statement, got, want)
		}
	}
}
