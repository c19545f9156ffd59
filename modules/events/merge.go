package events

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// merge adds a section's keys to the response: a struct's fields by their JSON names, or a map's entries. Values are
// encoded later, with the whole response, except for large values, which ahead starts encoding immediately.
func merge(answer map[string]any, part any, ahead func(kit.Encoded) kit.Encoded) error {
	return mergeValue(answer, reflect.ValueOf(part), ahead)
}

func mergeValue(answer map[string]any, v reflect.Value, ahead func(kit.Encoded) kit.Encoded) error {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return nil
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		for k, x := range v.Seq2() {
			answer[k.String()] = x.Interface()
		}
		return nil
	case v.Kind() != reflect.Struct:
		return fmt.Errorf("a section of /register must be a struct or a map, got %s", v.Type())
	case v.Type().Implements(marshaler) && v.CanInterface():
		return remarshal(answer, v.Interface())
	}
	for f, x := range v.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" && options == "":
		case f.Anonymous && name == "":
			if err := mergeValue(answer, x, ahead); err != nil {
				return err
			}
		case !f.IsExported():
		case strings.Contains(options, "omitempty") && empty(x), strings.Contains(options, "omitzero") && x.IsZero():
		case name == "":
			answer[f.Name] = x.Interface()
		default:
			answer[name] = x.Interface()
			if own, is := answer[name].(kit.Encoded); is && own.Size() > large {
				answer[name] = ahead(own)
			}
		}
	}
	return nil
}

// large is the minimum size, in bytes, of values that are encoded in a separate goroutine.
const large = 256 << 10

var marshaler = reflect.TypeFor[json.Marshaler]()

// remarshal merges sections that encode themselves.
func remarshal(answer map[string]any, part any) error {
	text, err := json.Marshal(part)
	if err != nil {
		return err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return err
	}
	for k, x := range keys {
		answer[k] = x
	}
	return nil
}

// empty reports whether omitempty omits the value.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
