package kit

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/export"
)

// Export says what becomes of a table in an export of a realm. A module declares each of its tables: kept rows become
// lines of JSON in the archive, in files named after the table. The rows are those with the realm in a column
// realm_id.
type Export struct {
	Table string
	Doc   string // what a line stands for; of a table that is left out, why
	// Columns are kept, as keys of a line. A column that is not a number or a text has its kind after a colon:
	// "active:bool", "since:time", "settings:json". None: nothing of the table is kept.
	Columns []string
	// Without are columns that are not kept: secrets, and what follows from others. Every column is in one of the
	// lists.
	Without []string
	Key     []string // the primary key; nil: id
	Realm   string   // the column with the realm, if it is not realm_id

	// Person is a column with the user whose private data the rows are. Rows of people who do not consent are left
	// out or, if Private lists columns, lack only these. If Public names a column with a truth value, rows in which
	// it is false are private in any case.
	Person  string
	Private []string
	Public  string
	Channel string // a column with a channel: rows of channels that are not exported are left out

	// Page overrides how rows are read. It returns the page that follows the cursor after; "" asks for the first page.
	// Keys lists the keys of its lines where they differ from the columns.
	Page func(ctx context.Context, s *export.Scope, after string) (export.Page, error)
	Keys []string
	With []string // further tables of which the lines hold something
	// Weigh returns how much the table adds to what an archive may hold; nil: nothing that counts.
	Weigh func(ctx context.Context, s *export.Scope) (export.Size, error)
}

// LeftOut declares tables of which nothing is exported, and says why.
func LeftOut(why string, tables ...string) []Export {
	all := make([]Export, len(tables))
	for i, t := range tables {
		all[i] = Export{Table: t, Doc: why}
	}
	return all
}

// Kept reports whether anything of the table is exported.
func (e *Export) Kept() bool { return len(e.Columns) > 0 }

// LineKeys returns the keys that lines can have.
func (e *Export) LineKeys() []string {
	if e.Keys != nil {
		return e.Keys
	}
	keys := make([]string, len(e.Columns))
	for i, c := range e.Columns {
		keys[i], _ = Kind(c)
	}
	return keys
}

// Kind returns the name and the kind of an entry of Columns; "" is a number or a text.
func Kind(column string) (name, kind string) {
	name, kind, _ = strings.Cut(column, ":")
	return name, kind
}

// RealmColumn returns the column with the realm.
func (e *Export) RealmColumn() string {
	if e.Realm == "" {
		return "realm_id"
	}
	return e.Realm
}
