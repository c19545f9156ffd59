// Package setting implements the tables of settings of realms and users. Each row holds the name, default and check of
// a field in a struct; the name is the field's JSON tag.
package setting

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// Row describes a setting.
type Row struct {
	Name    string
	Default any                            // of the field's type; nil: its zero value
	Check   func(name string, v any) error // nil: every value of the type is valid
}

// Change is a changed setting.
type Change struct {
	Name  string
	Value any
}

// Fill sets all settings of *S to their defaults.
func Fill[S any](s *S, rows []Row) {
	v := reflect.ValueOf(s).Elem()
	for _, r := range rows {
		if f := field(v, r.Name); f.IsValid() && r.Default != nil {
			f.Set(copyDefault(reflect.ValueOf(r.Default)))
		}
	}
}

// copyDefault copies a default that is a pointer: decoding stored settings over the defaults would otherwise modify the
// shared table.
func copyDefault(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return v
	}
	c := reflect.New(v.Type().Elem())
	c.Elem().Set(v.Elem())
	return c
}

// Values returns all fields by name.
func Values[S any](s S) map[string]any {
	v := reflect.ValueOf(s)
	out := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		out[name(v.Type().Field(i))] = v.Field(i).Interface()
	}
	return out
}

// Differing returns the fields of s that differ from other, by name.
func Differing[S any](s, other S) map[string]any {
	is, was := Values(s), Values(other)
	for name, x := range is {
		if reflect.DeepEqual(x, was[name]) {
			delete(is, name)
		}
	}
	return is
}

// Given returns the values in a request: its non-nil pointer fields by name, dereferenced, including those of
// embedded structs.
func Given[R any](req R) map[string]any {
	out := map[string]any{}
	given(reflect.ValueOf(req), out)
	return out
}

func given(v reflect.Value, out map[string]any) {
	for i := range v.NumField() {
		f, t := v.Field(i), v.Type().Field(i)
		switch {
		case t.Anonymous && f.Kind() == reflect.Struct:
			given(f, out)
		case f.Kind() == reflect.Pointer && !f.IsNil():
			out[name(t)] = f.Elem().Interface()
		}
	}
}

// Apply returns the settings with the given values, whose types must be those of the fields, and the changes in the
// order of the table. Names that are not in the table are ignored. Errors: those of the checks; nothing is changed
// then.
func Apply[S any](now S, values map[string]any, rows []Row) (S, []Change, error) {
	next := now
	v := reflect.ValueOf(&next).Elem()
	var changes []Change
	for _, r := range rows {
		x, ok := values[r.Name]
		if !ok {
			continue
		}
		if r.Check != nil {
			if err := r.Check(r.Name, x); err != nil {
				return now, nil, err
			}
		}
		if f := field(v, r.Name); !reflect.DeepEqual(f.Interface(), x) {
			f.Set(reflect.ValueOf(x))
			changes = append(changes, Change{r.Name, x})
		}
	}
	return next, changes, nil
}

func field(v reflect.Value, want string) reflect.Value {
	for i := range v.NumField() {
		if name(v.Type().Field(i)) == want {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

func name(f reflect.StructField) string {
	n, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return n
}

// OneOf accepts only the listed values. Errors: BadRequest.
func OneOf[T comparable](values ...T) func(string, any) error {
	return func(name string, v any) error {
		if x, ok := v.(T); !ok || !slices.Contains(values, x) {
			return errs.Bad("Invalid %s", name)
		}
		return nil
	}
}

// Between accepts integers from low to high. Errors: BadRequest.
func Between(low, high int) func(string, any) error {
	return func(name string, v any) error {
		if x, ok := v.(int); !ok || x < low || x > high {
			return errs.Bad("Invalid %s", name)
		}
		return nil
	}
}

// Text accepts valid text of at most n code points. Errors: BadRequest.
func Text(n int) func(string, any) error {
	return func(name string, v any) error {
		s, ok := v.(string)
		if !ok || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return errs.Bad("Invalid %s", name)
		}
		if utf8.RuneCountInString(s) > n {
			return errs.Bad("%s is too long (limit: %d characters)", name, n)
		}
		return nil
	}
}
