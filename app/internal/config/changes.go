package config

import (
	"encoding"
	"reflect"
)

// Change is a key whose value differs between two configurations.
type Change struct {
	Path    string
	Reloads bool // whether it can take effect while the server runs
}

// Changes returns the keys below path in which two configuration structs of the same type differ, sorted. The tag
// `reload:"true"` of a field declares that its keys can take effect while the server runs.
func Changes(path string, a, b any) []Change {
	return changes(path, reflect.ValueOf(a), reflect.ValueOf(b), false)
}

func changes(path string, a, b reflect.Value, reloads bool) []Change {
	var out []Change
	fields := fieldsOf(a.Type())
	for _, k := range Keys(a.Type()) {
		f := a.Type().FieldByIndex(fields[k])
		x, y := a.FieldByIndex(fields[k]), b.FieldByIndex(fields[k])
		at, reloads := Join(path, k), reloads || Reloads(f)
		switch {
		case f.Type.Kind() == reflect.Struct &&
			!reflect.PointerTo(f.Type).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
			out = append(out, changes(at, x, y, reloads)...)
		case !reflect.DeepEqual(x.Interface(), y.Interface()):
			out = append(out, Change{at, reloads})
		}
	}
	return out
}

// Reloads reports whether the keys of a field can take effect while the server runs.
func Reloads(f reflect.StructField) bool { return f.Tag.Get("reload") == "true" }
