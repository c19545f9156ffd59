package kit

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/export"
)

// Export specifies how a table is exported with a realm. A module declares each of its tables. Exported rows, those
// with the realm in the column realm_id, become lines of JSON in files of the archive named after the table.
type Export struct {
	Table string
	Doc   string // what a line describes; for a table that is not exported, the reason
	// Columns are exported as keys of a line. A column that is neither a number nor text has its kind after a colon:
	// "active:bool", "since:time", "settings:json". Without columns, nothing of the table is exported.
	Columns []string
	// Without are the columns that are not exported: secrets, and values derived from others. Every column is in one of
	// the two lists.
	Without []string
	Key     []string // the primary key; nil: id
	Realm   string   // the column with the realm, if it is not realm_id

	// Person is the column with the user whose private data the rows are. Rows of users who do not consent are omitted
	// or, if Private lists columns, lack only these. If Public names a boolean column, rows in which it is false are
	// private regardless.
	Person  string
	Private []string
	Public  string
	Channel string // a column with a channel: rows of channels that are not exported are omitted

	// Page overrides how rows are read. It returns the page that follows the cursor after; "" requests the first page.
	// Keys lists the keys of its lines if they differ from the columns.
	Page func(ctx context.Context, s *export.Scope, after string) (export.Page, error)
	Keys []string
	With []string // further tables whose data the lines contain
	// Weigh returns the size that the table adds to the archive; nil: negligible.
	Weigh func(ctx context.Context, s *export.Scope) (export.Size, error)
}

// LeftOut declares tables that are not exported, with the reason.
func LeftOut(why string, tables ...string) []Export {
	all := make([]Export, len(tables))
	for i, t := range tables {
		all[i] = Export{Table: t, Doc: why}
	}
	return all
}

// Kept reports whether the table is exported.
func (e *Export) Kept() bool { return len(e.Columns) > 0 }

// LineKeys returns the possible keys of lines.
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

// Kind splits an entry of Columns into name and kind; "" is a number or text.
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
