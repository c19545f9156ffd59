package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"mime"
	"reflect"
	"strconv"
	"strings"
)

const (
	maxElements = 20000 // elements of lists and maps that are decoded in a payload
	maxDepth    = 100   // levels of lists and objects that are read
)

// textKeys lists the keys that hold the text of an object, in the order of preference. Some services send an object
// where others send only its name, and the other way around.
var textKeys = [...]string{"text", "name", "displayName", "title", "summary", "login", "username", "value",
	"id"}

// decode decodes a JSON body, or the form field payload, into v. It converts a value whose type differs from the
// field's, such as a number in a field of text, since services do not adhere strictly to their documentation. A value
// that cannot be converted leaves its own field empty and has no effect on others.
func (r Request) decode(v any) error {
	body := r.json()
	if !json.Valid(body) {
		return r.malformed(body)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return r.malformed(body)
	}
	tree = shallow(tree, maxDepth)
	to := reflect.ValueOf(v).Elem()
	if _, object := tree.(map[string]any); !object && to.Kind() == reflect.Struct {
		return AnomalousError{"the body is not a JSON object"}
	}
	(&decoder{left: maxElements, structs: map[reflect.Type]map[string]field{}}).set(to, tree)
	return nil
}

// json returns the JSON in the form field payload, or else the body. The body may be JSON even if its type says
// otherwise, since curl declares everything as a form.
func (r Request) json() []byte {
	body := bytes.TrimSpace(bytes.TrimPrefix(r.Body, []byte("\ufeff")))
	if r.Payload != "" && (isForm(r.Type) || len(body) == 0) {
		return []byte(r.Payload)
	}
	return body
}

// shallow returns a decoded value without lists and objects below depth levels.
func shallow(v any, depth int) any {
	switch in := v.(type) {
	case []any:
		if depth == 0 {
			return nil
		}
		for i, one := range in {
			in[i] = shallow(one, depth-1)
		}
	case map[string]any:
		if depth == 0 {
			return nil
		}
		for key, one := range in {
			in[key] = shallow(one, depth-1)
		}
	}
	return v
}

func isForm(mediaType string) bool {
	return strings.HasPrefix(mediaType, "application/x-www-form-urlencoded") || strings.HasPrefix(mediaType, "multipart/")
}

// malformed returns the error for a body that is not JSON. It does not quote the body, because errors are logged.
func (r Request) malformed(body []byte) error {
	kind := "no type"
	if name, _, err := mime.ParseMediaType(r.Type); err == nil {
		kind = name
	}
	text := fmt.Sprintf("%d bytes of %s", len(body), kind)
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(body, new(any)), &syntax) && len(body) > 0 {
		text += fmt.Sprintf(", with an error at byte %d", syntax.Offset)
	}
	return JSONError{errors.New(text)}
}

type decoder struct {
	left    int // elements that may still be decoded
	structs map[reflect.Type]map[string]field
}

type field struct {
	key   string
	index []int
}

// set assigns a decoded JSON value. It reports whether the value contained anything for the destination.
func (d *decoder) set(to reflect.Value, from any) bool {
	if from == nil {
		return false
	}
	switch to.Kind() {
	case reflect.Pointer:
		v := reflect.New(to.Type().Elem())
		if !d.set(v.Elem(), from) {
			return false
		}
		to.Set(v)
	case reflect.Struct:
		return d.setStruct(to, from)
	case reflect.Slice:
		return d.setSlice(to, from)
	case reflect.Map:
		return d.setMap(to, from)
	case reflect.String:
		text := asText(from)
		to.SetString(text)
		_, isText := from.(string)
		return isText || text != ""
	case reflect.Bool:
		switch v := from.(type) {
		case bool:
			to.SetBool(v)
		default:
			yes, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(asText(from))))
			to.SetBool(yes)
			return err == nil
		}
	case reflect.Int, reflect.Int64:
		n, ok := asInt(from)
		if !ok || to.OverflowInt(n) {
			return false
		}
		to.SetInt(n)
	case reflect.Interface:
		to.Set(reflect.ValueOf(from))
	default:
		panic(fmt.Sprintf("fields of type %v cannot be decoded", to.Type())) // a mistake in an integration
	}
	return true
}

// setStruct assigns the members of an object; the case of keys matters only if several match the same field. A list
// counts as its first object, and text as the field for the object's text.
func (d *decoder) setStruct(to reflect.Value, from any) bool {
	fields := d.fieldsOf(to.Type())
	switch v := from.(type) {
	case map[string]any:
		for key, value := range v {
			if f, ok := fields[strings.ToLower(key)]; ok && (key == f.key || v[f.key] == nil) {
				d.set(to.FieldByIndex(f.index), value)
			}
		}
		return true
	case []any:
		for _, one := range v {
			if _, object := one.(map[string]any); object {
				return d.set(to, one)
			}
		}
	case bool: // false: there is no such object
	default:
		text := asText(v)
		for _, key := range textKeys {
			if f, ok := fields[strings.ToLower(key)]; ok && text != "" {
				return d.set(to.FieldByIndex(f.index), text)
			}
		}
	}
	return false
}

// fieldsOf returns the fields of a struct by their keys in lower case.
func (d *decoder) fieldsOf(t reflect.Type) map[string]field {
	if all, ok := d.structs[t]; ok {
		return all
	}
	all := map[string]field{}
	for _, f := range reflect.VisibleFields(t) {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
			all[strings.ToLower(key)] = field{key, f.Index}
		}
	}
	d.structs[t] = all
	return all
}

// setSlice assigns the elements of a list, without null. The list may be encoded as text, as in calls of Slack's own
// methods. Anything else counts as a list with one element.
func (d *decoder) setSlice(to reflect.Value, from any) bool {
	if text, ok := from.(string); ok && to.Type().Elem().Kind() == reflect.Struct {
		from = encodedList(text)
	}
	all, ok := from.([]any)
	if !ok {
		all = []any{from}
	}
	for _, one := range all {
		if d.left == 0 {
			break
		}
		d.left--
		v := reflect.New(to.Type().Elem()).Elem()
		if d.set(v, one) {
			to.Set(reflect.Append(to, v))
		}
	}
	return to.Len() > 0
}

func (d *decoder) setMap(to reflect.Value, from any) bool {
	all, ok := from.(map[string]any)
	if !ok {
		return false
	}
	to.Set(reflect.MakeMap(to.Type()))
	for key, one := range all {
		if d.left == 0 {
			break
		}
		d.left--
		v := reflect.New(to.Type().Elem()).Elem()
		if d.set(v, one) || v.Kind() == reflect.Interface {
			to.SetMapIndex(reflect.ValueOf(key), v)
		}
	}
	return true
}

// encodedList returns the list that a text contains, or the text.
func encodedList(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var list []any
	if d.Decode(&list) != nil {
		return text
	}
	return shallow(list, maxDepth)
}

// asText returns a decoded JSON value as text: the text of an object, the texts of a list separated by commas.
func asText(from any) string { return nestedText(from, 5) }

// nestedText is asText for a value with at most depth levels.
func nestedText(from any, depth int) string {
	if depth == 0 {
		return ""
	}
	switch v := from.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		var all []string
		for _, one := range v {
			if text := nestedText(one, depth-1); text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, ", ")
	case map[string]any:
		for _, key := range textKeys {
			if text := nestedText(v[key], depth-1); text != "" {
				return text
			}
		}
		if len(v) > 0 {
			b, _ := json.Marshal(v) // a decoded value can be encoded
			return string(b)
		}
	}
	return ""
}

// asInt returns a number, or text that contains one. Fractions are cut off.
func asInt(from any) (int64, bool) {
	text := strings.TrimSpace(asText(from))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || f < -1<<62 || f > 1<<62 {
		return 0, false
	}
	return int64(f), true
}
