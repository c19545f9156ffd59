package config

import (
	"reflect"
	"slices"
	"strings"
)

// maxRefusals limits how often one struct is validated.
const maxRefusals = 100

// validate calls the Validate methods of a struct and of the structs in it. Many of them stop at the first problem, so
// validate resets refused keys to their defaults and calls them again until they find nothing new. v and defaults point
// to the same struct type.
func (d *decoder) validate(v, defaults reflect.Value, path string) {
	probe := reflect.New(v.Type().Elem())
	probe.Elem().Set(v.Elem())
	if asked, ok := probe.Interface().(interface{ Validate() error }); ok {
		for range maxRefusals {
			err := asked.Validate()
			if err == nil {
				break
			}
			replaced := false
			for line := range strings.Lines(err.Error()) {
				key, text := splitRefusal(strings.TrimSpace(line))
				d.refuse(Join(path, key), text)
				replaced = restore(probe.Elem(), defaults.Elem(), key) || replaced
			}
			if !replaced {
				break
			}
		}
	}
	t := v.Elem().Type()
	fields := fieldsOf(t)
	for _, k := range Keys(t) {
		if f := v.Elem().FieldByIndex(fields[k]); f.Kind() == reflect.Struct {
			d.validate(f.Addr(), defaults.Elem().FieldByIndex(fields[k]).Addr(), Join(path, k))
		}
	}
}

// splitRefusal splits a line of a Validate error into its key and the rest. The key ends at ": " or a space. If there
// are several keys, it returns the first.
func splitRefusal(line string) (key, text string) {
	at := strings.IndexAny(line, ":, ")
	if at < 0 {
		return line, "is not valid"
	}
	if line[at] == ',' {
		return line[:at], line
	}
	return line[:at], strings.TrimLeft(line[at:], ": ")
}

// refuse reports a refused value, unless the key has been reported before or could not be decoded.
func (d *decoder) refuse(path, text string) {
	known := func(p string) bool {
		return p == path || strings.HasPrefix(p, path+".") || strings.HasPrefix(path, p+".")
	}
	if !slices.ContainsFunc(d.refused, known) {
		d.problem(path, text+d.raw.line(path))
	}
}

// restore sets the field with a dotted key to its default. It returns false if the field had that value already.
func restore(v, defaults reflect.Value, key string) bool {
	for k := range strings.SplitSeq(key, ".") {
		if v.Kind() != reflect.Struct {
			return false
		}
		i, ok := fieldsOf(v.Type())[k]
		if !ok {
			return false
		}
		v, defaults = v.FieldByIndex(i), defaults.FieldByIndex(i)
	}
	if reflect.DeepEqual(v.Interface(), defaults.Interface()) {
		return false
	}
	v.Set(defaults)
	return true
}
