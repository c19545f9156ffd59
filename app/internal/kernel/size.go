package kernel

import (
	"reflect"
	"strings"
)

// sampled is how many elements of a list or map are measured; the others count as their average.
const sampled = 8

// memoryOf returns about how many bytes of memory the value that p points to occupies with everything it refers to. It
// looks only at samples, so that it takes milliseconds for values of any size. It omits functions, and what locks and
// atomics guard, such as caches.
func memoryOf(p any) int64 {
	m := measuring{}
	return m.referred(reflect.ValueOf(p))
}

// measuring holds the pointers that were followed.
type measuring map[reference]bool

type reference struct {
	at uintptr
	of reflect.Type
}

// referred returns the bytes that a value refers to, without those of the value itself.
func (m measuring) referred(v reflect.Value) int64 {
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Pointer:
		if v.IsNil() || !m.first(v) {
			return 0
		}
		return size(v.Elem()) + m.referred(v.Elem())
	case reflect.Interface:
		if v.IsNil() {
			return 0
		}
		if e := v.Elem(); e.Kind() != reflect.Pointer {
			return size(e) + m.referred(e)
		}
		return m.referred(v.Elem())
	case reflect.Slice:
		if v.IsNil() || v.Cap() > 0 && !m.first(v) {
			return 0
		}
		return int64(v.Cap())*int64(v.Type().Elem().Size()) + m.elements(v)
	case reflect.Array:
		return m.elements(v)
	case reflect.Map:
		return m.entries(v)
	case reflect.Struct:
		return m.fields(v)
	default:
		return 0
	}
}

func size(v reflect.Value) int64 { return int64(v.Type().Size()) }

// first reports whether a pointer is followed for the first time.
func (m measuring) first(v reflect.Value) bool {
	r := reference{v.Pointer(), v.Type()}
	seen := m[r]
	m[r] = true
	return !seen
}

func (m measuring) fields(v reflect.Value) int64 {
	t, all := v.Type(), int64(0)
	for i := range t.NumField() {
		if strings.HasPrefix(t.Field(i).Type.PkgPath(), "sync") {
			return 0
		}
	}
	for i := range t.NumField() {
		all += m.referred(v.Field(i))
	}
	return all
}

// elements returns what the elements of a list refer to, of which those that are nil refer to nothing.
func (m measuring) elements(v reflect.Value) int64 {
	if !refers(v.Type().Elem()) {
		return 0
	}
	var at []int
	for i := range v.Len() {
		if e := v.Index(i); e.Kind() != reflect.Pointer || !e.IsNil() {
			at = append(at, i)
		}
	}
	n, all := min(sampled, len(at)), int64(0)
	for i := range n {
		all += m.referred(v.Index(at[i*len(at)/n]))
	}
	return extrapolated(all, n, len(at))
}

// entries returns the bytes of a map's entries.
func (m measuring) entries(v reflect.Value) int64 {
	if v.IsNil() || !m.first(v) {
		return 0
	}
	n, all := 0, int64(0)
	for i := v.MapRange(); n < sampled && i.Next(); n++ {
		k, e := i.Key(), i.Value()
		all += size(k) + size(e) + m.referred(k) + m.referred(e)
	}
	return extrapolated(all, n, v.Len())
}

func extrapolated(bytes int64, of, all int) int64 {
	if of == 0 {
		return 0
	}
	return bytes * int64(all) / int64(of)
}

// refers reports whether values of a type may refer to something.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
