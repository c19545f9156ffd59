package config

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
)

// Decode decodes the value at a path into a struct that holds the defaults. Problems are unknown keys, wrong types, and
// the errors of Validate() error methods of the struct and of the structs in it. Each line of such an error begins with
// the key.
func (r *Raw) Decode(path string, into any, ignore ...string) Problems {
	value, _ := r.get(path)
	if m, ok := value.(map[string]any); ok && len(ignore) > 0 {
		rest := map[string]any{}
		for k, v := range m {
			if !slices.Contains(ignore, k) {
				rest[k] = v
			}
		}
		value = rest
	}
	d := decoder{raw: r}
	v := reflect.ValueOf(into)
	defaults := reflect.New(v.Type().Elem())
	defaults.Elem().Set(v.Elem())
	d.into(value, v.Elem(), path)
	d.validate(v, defaults, path)
	return d.problems
}

type decoder struct {
	raw      *Raw
	problems Problems
	refused  []string // the paths with problems
}

// problem reports a problem with the value at a path.
func (d *decoder) problem(path, text string) {
	d.refused = append(d.refused, path)
	d.problems.Add(d.raw.named(path), text)
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	secretType   = reflect.TypeFor[kit.Secret]()
)

func (d *decoder) into(value any, to reflect.Value, path string) {
	if value == nil { // a key without a value keeps its default
		return
	}
	if to.Type() == durationType {
		d.duration(value, to, path)
		return
	}
	if u, ok := to.Addr().Interface().(encoding.TextUnmarshaler); ok {
		d.text(value, u, path)
		return
	}
	switch to.Kind() {
	case reflect.Struct:
		d.section(value, to, path)
	case reflect.Map:
		d.dict(value, to, path)
	case reflect.Slice:
		d.list(value, to, path)
	case reflect.Pointer:
		fresh := reflect.New(to.Type().Elem())
		d.into(value, fresh.Elem(), path)
		to.Set(fresh)
	default:
		d.scalar(value, to, path)
	}
}

func (d *decoder) section(value any, to reflect.Value, path string) {
	m, ok := value.(map[string]any)
	if !ok {
		d.want("a section of keys", value, path)
		return
	}
	fields := fieldsOf(to.Type())
	for _, k := range sortedKeys(m) {
		i, ok := fields[k]
		if !ok {
			d.problem(Join(path, k), "unknown key"+spelling.Suggest(k, Keys(to.Type())))
			continue
		}
		d.into(m[k], to.FieldByIndex(i), Join(path, k))
	}
}

func (d *decoder) dict(value any, to reflect.Value, path string) {
	m, ok := value.(map[string]any)
	if !ok {
		d.want("a section of keys", value, path)
		return
	}
	out := reflect.MakeMap(to.Type())
	for _, k := range sortedKeys(m) {
		e := reflect.New(to.Type().Elem()).Elem()
		d.into(m[k], e, Join(path, k))
		out.SetMapIndex(reflect.ValueOf(k).Convert(to.Type().Key()), e)
	}
	to.Set(out)
}

func (d *decoder) list(value any, to reflect.Value, path string) {
	l, ok := value.([]any)
	if !ok {
		d.want("a list", value, path)
		return
	}
	out := reflect.MakeSlice(to.Type(), len(l), len(l))
	for i, v := range l {
		d.into(v, out.Index(i), fmt.Sprintf("%s.%d", path, i))
	}
	to.Set(out)
}

func (d *decoder) scalar(value any, to reflect.Value, path string) {
	switch v := value.(type) {
	case string:
		if to.Kind() == reflect.String {
			to.SetString(v)
			return
		}
	case bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(v)
			return
		}
	case int:
		if d.number(int64(v), to) {
			return
		}
	case float64:
		if to.CanFloat() {
			to.SetFloat(v)
			return
		}
	}
	if to.Type() == secretType {
		value = hidden{}
	}
	d.want(acceptedValues(to.Type()), value, path)
}

// hidden replaces a secret in a problem.
type hidden struct{}

func (d *decoder) number(v int64, to reflect.Value) bool {
	switch {
	case to.CanInt() && !to.OverflowInt(v):
		to.SetInt(v)
	case to.CanUint() && v >= 0 && !to.OverflowUint(uint64(v)):
		to.SetUint(uint64(v))
	case to.CanFloat() && math.Abs(float64(v)) < 1<<53:
		to.SetFloat(float64(v))
	default:
		return false
	}
	return true
}

func (d *decoder) duration(value any, to reflect.Value, path string) {
	s, ok := value.(string)
	t, err := time.ParseDuration(s)
	if !ok || err != nil {
		d.want(acceptedValues(durationType), value, path)
		return
	}
	to.SetInt(int64(t))
}

func (d *decoder) text(value any, to encoding.TextUnmarshaler, path string) {
	s, ok := value.(string)
	if !ok {
		d.want("text", value, path)
		return
	}
	if err := to.UnmarshalText([]byte(s)); err != nil {
		d.problem(path, err.Error()+d.raw.line(path))
	}
}

func (d *decoder) want(what string, got any, path string) {
	d.problem(path, "want "+what+", got "+shown(got)+d.raw.line(path))
}

// acceptedValues describes the values that a type accepts.
func acceptedValues(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration such as 30s"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return "a whole number"
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		return "a whole number from 0"
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Slice:
		return "a list"
	}
	return "a section of keys"
}

// shown formats a value for a problem, without secrets.
func shown(v any) string {
	switch v := v.(type) {
	case hidden:
		return "another value"
	case map[string]any:
		return "a section of keys"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("%q", maskURL(v))
	default:
		return fmt.Sprint(v)
	}
}
