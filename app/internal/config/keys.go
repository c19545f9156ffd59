package config

import (
	"encoding"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// fieldsOf returns the index paths of a struct's fields by yaml name, including the fields of `yaml:",inline"` structs.
func fieldsOf(t reflect.Type) map[string][]int {
	out := map[string][]int{}
	for f := range t.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case rest == "inline":
			for k, i := range fieldsOf(f.Type) {
				out[k] = append(slices.Clone(f.Index), i...)
			}
		case name == "":
			out[strings.ToLower(f.Name)] = f.Index
		default:
			out[name] = f.Index
		}
	}
	return out
}

// Keys returns the yaml names of a struct's fields, sorted.
func Keys(t reflect.Type) []string { return slices.Sorted(maps.Keys(fieldsOf(t))) }

// Leaf is a key with a plain value.
type Leaf struct {
	Path string
	Type reflect.Type
}

// Leaves returns all keys in a struct that have plain values, sorted by path.
func Leaves(path string, t reflect.Type) []Leaf {
	var out []Leaf
	fields := fieldsOf(t)
	for _, k := range Keys(t) {
		ft := t.FieldByIndex(fields[k]).Type
		if ft.Kind() == reflect.Struct && !reflect.PointerTo(ft).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			out = append(out, Leaves(Join(path, k), ft)...)
			continue
		}
		out = append(out, Leaf{Join(path, k), ft})
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
