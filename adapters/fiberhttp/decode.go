package fiberhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// A decodeFunc decodes one JSON value into v. encoding/json is not used because its errors do not name the position in
// the parameter and the expected type, and because it turns a null among IDs into 0.
type decodeFunc func(d *decoder, w *location, v reflect.Value) error

// location is the path to a value in a parameter, formatted only for errors.
type location struct {
	up   *location
	name string // of the parameter or key
	i    int    // index of an element, if name is ""
}

func (w *location) String() string {
	switch {
	case w.up == nil:
		return w.name
	case w.name == "":
		return w.up.String() + "[" + strconv.Itoa(w.i) + "]"
	}
	return w.up.String() + "[" + strconv.Quote(w.name) + "]"
}

func compile(t reflect.Type) (decodeFunc, error) { return compiler{}.of(t) }

// compiler maps types to their decoders, including those still being built, so that types can be recursive.
type compiler map[reflect.Type]*decodeFunc

func (c compiler) of(t reflect.Type) (decodeFunc, error) {
	if f, ok := c[t]; ok {
		return func(d *decoder, w *location, v reflect.Value) error { return (*f)(d, w, v) }, nil
	}
	f := new(decodeFunc)
	c[t] = f
	var err error
	*f, err = c.build(t)
	return *f, err
}

func (c compiler) build(t reflect.Type) (decodeFunc, error) {
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshaler) {
		return decodeSelf, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolean, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return integer, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return unsigned, nil
	case reflect.Float32, reflect.Float64:
		return float, nil
	case reflect.String:
		return text, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return anything, nil
		}
	case reflect.Pointer:
		return c.pointer(t.Elem())
	case reflect.Slice:
		return c.slice(t)
	case reflect.Map:
		if k := t.Key().Kind(); k == reflect.String || k == reflect.Int || k == reflect.Int64 {
			return c.dict(t)
		}
	case reflect.Struct:
		return c.record(t)
	}
	return nil, fmt.Errorf("a parameter can't be of type %v", t)
}

func (c compiler) pointer(elem reflect.Type) (decodeFunc, error) {
	inner, err := c.of(elem)
	return func(d *decoder, w *location, v reflect.Value) error {
		if d.peek() == 'n' {
			d.span()
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(elem))
		return inner(d, w, v.Elem())
	}, err
}

func (c compiler) slice(t reflect.Type) (decodeFunc, error) {
	inner, err := c.of(t.Elem())
	return func(d *decoder, w *location, v reflect.Value) error {
		if d.peek() == 'n' && w.up != nil {
			d.span()
			v.SetZero()
			return nil
		}
		v.Set(reflect.MakeSlice(t, 0, 0))
		at := location{up: w}
		return d.array(w, func(i int) error {
			at.i = i
			v.Grow(1)
			v.SetLen(i + 1)
			return inner(d, &at, v.Index(i))
		})
	}, err
}

func (c compiler) dict(t reflect.Type) (decodeFunc, error) {
	inner, err := c.of(t.Elem())
	return func(d *decoder, w *location, v reflect.Value) error {
		m := reflect.MakeMap(t)
		v.Set(m)
		return d.object(w, func(key string) error {
			k := reflect.New(t.Key()).Elem()
			if k.Kind() == reflect.String {
				k.SetString(key)
			} else if n, err := strconv.ParseInt(key, 10, 64); err == nil {
				k.SetInt(n)
			} else {
				return typeError(&location{up: w, name: key}, "an integer")
			}
			e := reflect.New(t.Elem()).Elem()
			if err := inner(d, &location{up: w, name: key}, e); err != nil {
				return err
			}
			m.SetMapIndex(k, e)
			return nil
		})
	}, err
}

// record decodes an object within a parameter. It skips unknown keys; missing keys leave zero values.
func (c compiler) record(t reflect.Type) (decodeFunc, error) {
	type member struct {
		index  []int
		decode decodeFunc
	}
	members := map[string]member{}
	var add func(t reflect.Type, at []int) error
	add = func(t reflect.Type, at []int) error {
		for i := range t.NumField() {
			sf := t.Field(i)
			index := slices.Concat(at, []int{i})
			name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
			switch {
			case sf.Anonymous && sf.Type.Kind() == reflect.Struct && name == "":
				if err := add(sf.Type, index); err != nil {
					return err
				}
				continue
			case name == "-" || !sf.IsExported():
				continue
			case name == "":
				return fmt.Errorf("%v.%s has no json tag with its wire name", t, sf.Name)
			}
			inner, err := c.of(sf.Type)
			if err != nil {
				return err
			}
			members[name] = member{index, inner}
		}
		return nil
	}
	err := add(t, nil)
	return func(d *decoder, w *location, v reflect.Value) error {
		return d.object(w, func(key string) error {
			m, ok := members[key]
			if !ok {
				d.span()
				return nil
			}
			return m.decode(d, &location{up: w, name: key}, v.FieldByIndex(m.index))
		})
	}, err
}

func typeError(w *location, what string) error { return errs.Bad("%s is not %s", w, what) }

func decodeSelf(d *decoder, w *location, v reflect.Value) error {
	err := v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(d.span())
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		at := w
		if wrong.Field != "" {
			at = &location{up: w, name: wrong.Field}
		}
		return typeError(at, nameOf(wrong.Type.Kind()))
	}
	return decodeRefusal(w, err)
}

func nameOf(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a dict"
	}
	return "an integer"
}

func boolean(d *decoder, w *location, v reflect.Value) error {
	switch string(d.span()) {
	case "true":
		v.SetBool(true)
	case "false":
		v.SetBool(false)
	default:
		return typeError(w, "a boolean")
	}
	return nil
}

func integer(d *decoder, w *location, v reflect.Value) error {
	n, err := strconv.ParseInt(string(d.span()), 10, 64)
	if err != nil || v.OverflowInt(n) {
		return typeError(w, "an integer")
	}
	v.SetInt(n)
	return nil
}

func unsigned(d *decoder, w *location, v reflect.Value) error {
	n, err := strconv.ParseUint(string(d.span()), 10, 64)
	if err != nil || v.OverflowUint(n) {
		return typeError(w, "an integer")
	}
	v.SetUint(n)
	return nil
}

func float(d *decoder, w *location, v reflect.Value) error {
	c := d.peek()
	f, err := strconv.ParseFloat(string(d.span()), 64)
	if (c != '-' && (c < '0' || c > '9')) || err != nil || v.OverflowFloat(f) {
		return typeError(w, "a number")
	}
	v.SetFloat(f)
	return nil
}

func text(d *decoder, w *location, v reflect.Value) error {
	if d.peek() != '"' {
		return typeError(w, "a string")
	}
	v.SetString(d.string())
	return nil
}

func anything(d *decoder, w *location, v reflect.Value) error {
	var x any
	if err := json.Unmarshal(d.span(), &x); err != nil {
		return typeError(w, "valid JSON")
	}
	if x != nil {
		v.Set(reflect.ValueOf(x))
	}
	return nil
}
