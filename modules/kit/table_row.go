package kit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/user"
)

// tableOf derives a table from the type of its rows. The tag export is required if tagged is set.
func tableOf(row reflect.Type, tagged bool) Table {
	t := Table{Row: row}
	t.addFields(row, tagged)
	if t.Name == "" {
		t.problem("the type %s has no field bun.BaseModel with the table's name", row)
	}
	if t.Consent == "" && (t.Public != "" || t.PrivateKeys() != nil) {
		t.problem("%s has private data, but no column marked consent", t.Name)
	}
	return t
}

// Field is the field of a row that holds a column.
type Field struct {
	Column string
	Index  []int // in the struct of the row
	Type   reflect.Type
	Auto   bool // the database assigns the value
}

// Fields returns the fields that hold the table's columns.
func (t Table) Fields() []Field {
	if t.Row == nil {
		return nil
	}
	var all []Field
	for _, f := range reflect.VisibleFields(t.Row) {
		name, options := bunTag(f.Tag.Get("bun"))
		if options["table"] != "" || f.Anonymous || !f.IsExported() || name == "-" || has(options, "scanonly") {
			continue
		}
		if name == "" {
			name = underscore(f.Name)
		}
		all = append(all, Field{name, f.Index, f.Type, has(options, "autoincrement")})
	}
	return all
}

func (t *Table) problem(format string, args ...any) {
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// addFields adds the fields of a row, or of a struct embedded in it, in the way in which Bun reads them.
func (t *Table) addFields(row reflect.Type, tagged bool) {
	for f := range row.Fields() {
		name, options := bunTag(f.Tag.Get("bun"))
		switch {
		case options["table"] != "":
			t.Name = options["table"]
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			t.addFields(f.Type, tagged)
		case f.IsExported() && name != "-" && !has(options, "scanonly"):
			if name == "" {
				name = underscore(f.Name)
			}
			t.addColumn(Column{Name: name, Kind: kindOf(f.Type), Key: has(options, "pk")}, f.Tag, tagged)
			t.addNaming(name, f)
		}
	}
}

// addColumn adds a column with the meaning of its tags owner and export.
func (t *Table) addColumn(c Column, tag reflect.StructTag, tagged bool) {
	if c.Name == "realm_id" {
		t.Realm = c.Name
		if t.Owner.Of == "" {
			t.Owner = Owner{OfRealm, c.Name}
		}
	}
	if of := tag.Get("owner"); of != "" {
		t.Owner = Owner{of, c.Name}
	}
	if words := tag.Get("export"); tagged && (words != "" || c.Name != "realm_id") {
		t.setExport(&c, strings.Split(words, ","))
	}
	t.Columns = append(t.Columns, c)
}

// addNaming adds a column that names a user.
func (t *Table) addNaming(column string, f reflect.StructField) {
	word := Erasure(f.Tag.Get("person"))
	switch {
	case word == "" && f.Tag.Get("owner") == OfUser:
		word = EraseRow
	case word == "" && (f.Type == reflect.TypeFor[user.ID]() || f.Type == reflect.TypeFor[*user.ID]()),
		word == "" && f.Type == reflect.TypeFor[string]() && strings.Contains(column, "email"):
		t.problem("%s.%s names a user, and needs a tag person with row, address, id or hook", t.Name, column)
	case word == "":
		return
	case !slices.Contains([]Erasure{EraseRow, EraseAddress, KeepID, EraseByHook}, word):
		t.problem("%s.%s has a tag person with %q, which is unknown", t.Name, column, word)
	}
	t.People = append(t.People, Naming{column, word})
}

func (t *Table) setExport(c *Column, words []string) {
	switch words[0] {
	case "yes":
		c.Exported = true
	case "private":
		c.Exported, c.Private = true, true
	case "no":
	default:
		t.problem("%s.%s needs a tag export that begins with yes, private or no", t.Name, c.Name)
	}
	for _, w := range words[1:] {
		switch w {
		case "consent":
			t.Consent = c.Name
		case "public":
			t.Public = c.Name
		case "channel":
			t.Channel = c.Name
		case "realm":
			t.Realm = c.Name
		case "json":
			c.Kind = JSON
		default:
			t.problem("%s.%s has a tag export with %q, which is unknown", t.Name, c.Name, w)
		}
	}
}

// bunTag splits a tag of Bun into the column's name and the options with their values.
func bunTag(tag string) (name string, options map[string]string) {
	options = map[string]string{}
	for i, part := range strings.Split(tag, ",") {
		key, value, isOption := strings.Cut(part, ":")
		if i == 0 && !isOption {
			name = part
		} else {
			options[key] = value
		}
	}
	return name, options
}

func has(options map[string]string, name string) bool { _, ok := options[name]; return ok }

// underscore returns the name that Bun gives a column by default.
func underscore(field string) string {
	upper := func(i int) bool { return field[i] >= 'A' && field[i] <= 'Z' }
	lower := func(i int) bool { return field[i] >= 'a' && field[i] <= 'z' }
	var b strings.Builder
	for i := range len(field) {
		if upper(i) && i > 0 && i+1 < len(field) && (lower(i-1) || lower(i+1)) {
			b.WriteByte('_')
		}
		b.WriteByte(field[i])
	}
	return strings.ToLower(b.String())
}

func kindOf(t reflect.Type) Kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Implements(reflect.TypeFor[interface{ UTC() time.Time }]()): // also bun.NullTime
		return Time
	case t.Kind() == reflect.Bool:
		return Bool
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() == reflect.Uint8:
		return Bytes
	case slices.Contains([]reflect.Kind{reflect.Slice, reflect.Array, reflect.Map, reflect.Struct}, t.Kind()):
		return JSON
	}
	return Plain
}

// jsonKeys returns the keys of a struct in JSON.
func jsonKeys(line reflect.Type) []string {
	var keys []string
	for f := range line.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return keys
}
