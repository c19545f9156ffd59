package config

import (
	"reflect"
	"strings"
)

// validate asks a struct, given by its pointer, and those within it.
func (d *decoder) validate(v reflect.Value, path string) {
	if asked, ok := v.Interface().(interface{ Validate() error }); ok {
		if err := asked.Validate(); err != nil {
			for line := range strings.Lines(err.Error()) {
				d.refused(strings.TrimSpace(line), path)
			}
		}
	}
	t := v.Elem().Type()
	fields := fieldsOf(t)
	for _, k := range Keys(t) {
		if f := v.Elem().FieldByIndex(fields[k]); f.Kind() == reflect.Struct {
			d.validate(f.Addr(), Join(path, k))
		}
	}
}

// refused reports one line of a Validate: the key comes first, then ": " or a space.
func (d *decoder) refused(line, path string) {
	at := strings.IndexAny(line, ": ")
	if at < 0 {
		d.problems.Add(d.raw.named(path), line)
		return
	}
	key := Join(path, line[:at])
	d.problems.Add(d.raw.named(key), strings.TrimLeft(line[at:], ": ")+d.raw.line(key))
}
