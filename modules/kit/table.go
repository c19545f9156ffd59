package kit

import (
	"context"
	"reflect"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/importing"
)

// Table declares a table: its columns, what its rows are deleted with, and what an export of a realm contains of it. A
// module declares each of its tables once, with Exported, ExportedWithin or NotExported. They derive the columns from
// the type of the table's rows; struct tags next to those of Bun add what Bun does not need to know.
//
// The tag owner marks the column that determines with what a row is deleted, if that is not the realm in a column
// realm_id: owner:"user" with all rows of the user whose ID the column contains, and owner:"messages" with the row of
// the module's table messages whose primary key it contains.
//
// The tag person states what happens when the data of a user is erased (stoa user erase). It is required for each
// column of the type user.ID, unless it has the tag owner:"user", and for each text column whose name contains "email":
//
//	row      the row belongs to the user whose ID the column contains, and is deleted
//	address  the row belongs to the user whose address or ID the text column contains, and is deleted
//	id       the ID remains, as that of a deleted user, because the row belongs to others or to the organization
//	hook     the module changes or deletes the row in a hook of user.Erasing, or as its provider of ports.Accounts
//
// The tag export is required for each column of an exported table but realm_id. Its first word is
//
//	yes      if the column is a key of the exported lines
//	private  if it is one only if the user in the column marked consent consents
//	no       if it is not, such as secrets and derived values
//
// and may be followed by
//
//	consent  if the user whose ID the column contains must consent to the export of private data: of the columns marked
//	         private, or else of the whole row
//	public   if rows in which the column is false are private as a whole
//	channel  if the column contains a channel's ID or 0, and rows are omitted if the channel is not exported
//	realm    if the column contains the realm's ID; by default, realm_id does
//	json     if the column's text is JSON, although its Go type is a string
type Table struct {
	Name    string
	Doc     string   // what an exported line describes, or why the table is not exported
	Columns []Column // in the order of the fields
	Realm   string   // the column with the realm's ID; "" if there is none
	Owner   Owner
	People  []Naming
	Large   bool // the realm's rows are found in the order of the primary key, because no index does

	Restored Fate // what happens to the rows when a backup is restored

	Sealed string // the purpose for which the column secret is sealed (ports.Sealer); "": there is no such column

	Exported bool   // as lines in files of the archive that are named after the table
	Within   string // the table whose lines contain the data; "" if none do
	Consent  string // the column with the user whose consent private data requires; "" if there is none
	Public   string // the column that is false in private rows; "" if there is none
	Channel  string // the column with a channel's ID; "" if the rows belong to no channel
	Page     PageFunc
	Size     SizeFunc
	Row      reflect.Type // the struct of a row
	Adapt    AdaptFunc    // nil: nothing is to be adapted
	lineKeys []string     // of Page
	problems []string
}

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
	Key  bool // part of the primary key

	Exported bool // a key of the exported lines
	Private  bool // exported only with consent
}

// Kind is the kind of a column's values.
type Kind string

// The kinds of values.
const (
	Plain Kind = "" // numbers and text
	Bool  Kind = "bool"
	Time  Kind = "time"
	JSON  Kind = "json"
	Bytes Kind = "bytes" // cannot be exported
)

// Owner states what a row is deleted with.
type Owner struct {
	Of     string // OfRealm, OfUser, or a table of the same module; "": the row belongs to no realm
	Column string // the column with the owner's ID
}

// The owners that are not rows of the same module.
const (
	OfRealm = "realm"
	OfUser  = "user"
)

// Naming is a column that names a user.
type Naming struct {
	Column string
	Erased Erasure
}

// Erasure is what happens to rows that name a user whose data is erased.
type Erasure string

// The erasures.
const (
	EraseRow     Erasure = "row"     // rows with the user's ID are deleted
	EraseAddress Erasure = "address" // rows with the user's address, or with the ID as text, are deleted
	KeepID       Erasure = "id"      // rows remain
	EraseByHook  Erasure = "hook"    // the module erases what it must
)

// Fate is what happens to rows when a backup is restored, which makes a moment of the past the present.
type Fate string

// The fates.
const (
	Kept       Fate = ""           // they are what they were
	Dropped    Fate = "dropped"    // they are deleted, because they belong to clients or processes of that time
	Outgoing   Fate = "outgoing"   // they wait to be sent elsewhere; deleted unless the operator keeps them
	Credential Fate = "credential" // they let somebody in; deleted if the operator revokes all logins
)

// PageFunc returns the page of an export that follows the cursor after; "" requests the first page.
type PageFunc func(ctx context.Context, s *export.Scope, after string) (export.Page, error)

// SizeFunc estimates how much a table adds to the size of an archive.
type SizeFunc func(ctx context.Context, s *export.Scope) (export.Size, error)

// AdaptFunc completes a row that an import inserts, given as a pointer to a Table.Row, or returns false to omit it.
type AdaptFunc func(m importing.Mapping, row any) (bool, error)

// Exported declares a table whose rows are exported. The doc describes a row.
func Exported[Row any](doc string) Table {
	t := tableOf(reflect.TypeFor[Row](), true)
	t.Doc, t.Exported = doc, true
	return t
}

// ExportedWithin declares a table whose data the lines of another table contain, which has a PageFunc.
func ExportedWithin[Row any](table string) Table {
	t := tableOf(reflect.TypeFor[Row](), false)
	t.Within = table
	return t
}

// NotExported declares a table that is not exported, and the reason.
func NotExported[Row any](reason string) Table {
	t := tableOf(reflect.TypeFor[Row](), false)
	t.Doc = reason
	return t
}

// Paged replaces the query that exports the table by page, which returns lines of the type Line.
func Paged[Line any](t Table, page PageFunc) Table {
	t.Page, t.lineKeys = page, jsonKeys(reflect.TypeFor[Line]())
	return t
}

// Imported adapts rows that an import inserts: columns that are not exported, and IDs within texts. IDs in columns of
// their own are adapted already: a column refers to the table whose primary key is a number of the same type. A row is
// left out if fn returns false.
func Imported[Row any](t Table, fn func(m importing.Mapping, row *Row) (bool, error)) Table {
	t.Adapt = func(m importing.Mapping, row any) (bool, error) { return fn(m, row.(*Row)) }
	return t
}

// Sized estimates the size of the table's lines and files. Otherwise it is considered negligible.
func (t Table) Sized(size SizeFunc) Table { t.Size = size; return t }

// ByKey finds the realm's rows to delete in the order of the primary key, which must be a single number, because the
// table has no index that finds them.
func (t Table) ByKey() Table { t.Large = true; return t }

// OnRestore sets what happens to the rows when a backup is restored.
func (t Table) OnRestore(f Fate) Table { t.Restored = f; return t }

// Key returns the columns of the primary key.
func (t Table) Key() []string { return t.names(func(c Column) bool { return c.Key }) }

// LineKeys returns all keys that an exported line can have.
func (t Table) LineKeys() []string {
	if t.Page != nil {
		return t.lineKeys
	}
	return t.names(func(c Column) bool { return c.Exported })
}

// PrivateKeys returns the keys that are omitted without consent. If there are none, the whole row is.
func (t Table) PrivateKeys() []string { return t.names(func(c Column) bool { return c.Private }) }

func (t Table) names(which func(Column) bool) []string {
	var names []string
	for _, c := range t.Columns {
		if which(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Problems describes the errors in the declaration.
func (t Table) Problems() []string { return t.problems }
