package kit

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/export"
)

// Export specifies how the rows of a table are exported with a realm. A module declares each of its tables. Each row
// becomes a line of JSON in a file of the archive that is named after the table.
type Export struct {
	Table string
	Doc   string // what a line describes, or why the table is not exported
	// Columns lists the columns that are exported as keys of a line. If a column holds neither a number nor text, its
	// type follows a colon: "active:bool", "since:time", "settings:json". Without columns, the table is not exported.
	Columns []string
	// Without lists the columns that are not exported, such as secrets and derived values. Every column is in one of
	// the two lists.
	Without []string
	Key     []string // the primary key; nil: id
	Realm   string   // the column with the realm's ID; "": realm_id

	// Person is the column with the ID of the user who owns the row's private data. If that user has not consented, the
	// row is omitted or, if Private lists columns, exported without them. If Public names a boolean column, rows in
	// which it is false are private regardless of consent.
	Person  string
	Private []string
	Public  string
	Channel string // a column with a channel's ID; rows are omitted if the channel is not exported

	// Page replaces the default query. It returns the page that follows the cursor after; "" requests the first page.
	// Keys lists the keys of its lines if they differ from the columns.
	Page func(ctx context.Context, s *export.Scope, after string) (export.Page, error)
	Keys []string
	With []string // other tables whose data the lines contain
	// Size estimates how much the table adds to the size of the archive; nil: negligible.
	Size func(ctx context.Context, s *export.Scope) (export.Size, error)
}

// NotExported declares tables that are not exported, and the reason.
func NotExported(reason string, tables ...string) []Export {
	all := make([]Export, len(tables))
	for i, t := range tables {
		all[i] = Export{Table: t, Doc: reason}
	}
	return all
}

// Exported reports whether the table is exported.
func (e *Export) Exported() bool { return len(e.Columns) > 0 }

// LineKeys returns all keys that a line can have.
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

// Kind splits an element of Columns into the column's name and type. The type of numbers and text is "".
func Kind(column string) (name, kind string) {
	name, kind, _ = strings.Cut(column, ":")
	return name, kind
}

// RealmColumn returns the name of the column with the realm's ID.
func (e *Export) RealmColumn() string {
	if e.Realm == "" {
		return "realm_id"
	}
	return e.Realm
}
