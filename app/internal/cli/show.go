package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"
)

// show prints the response of a command: its own text if it has one, a slice of structs as a table, and a struct as a
// line for each field.
func show(w io.Writer, v reflect.Value) error {
	if s, ok := v.Interface().(fmt.Stringer); ok {
		text := strings.TrimSuffix(s.String(), "\n")
		if text == "" {
			return nil
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		table(t, v)
	case v.Kind() == reflect.Struct:
		for f, value := range columns(v) {
			_, _ = fmt.Fprintf(t, "%s\t%s\n", strings.ToLower(f), value) // Flush returns the error
		}
	default:
		return json.NewEncoder(w).Encode(v.Interface())
	}
	return t.Flush()
}

func table(w io.Writer, rows reflect.Value) {
	var names []string
	for name := range columns(reflect.New(rows.Type().Elem()).Elem()) {
		names = append(names, name)
	}
	_, _ = fmt.Fprintln(w, strings.Join(names, "\t")) // Flush returns the error
	for i := range rows.Len() {
		var values []string
		for _, value := range columns(rows.Index(i)) {
			values = append(values, value)
		}
		_, _ = fmt.Fprintln(w, strings.Join(values, "\t"))
	}
}

// columns yields the titles and values of a struct's fields.
func columns(v reflect.Value) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for f, value := range v.Fields() {
			if f.Anonymous {
				for name, text := range columns(value) {
					if !yield(name, text) {
						return
					}
				}
				continue
			}
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			name := cmp.Or(f.Tag.Get("table"), strings.ToUpper(strings.ReplaceAll(key, "_", " ")))
			if name == "-" || name == "" {
				continue
			}
			if !yield(name, cell(value)) {
				return
			}
		}
	}
}

// cell returns a value as people read it.
func cell(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "-"
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case time.Time: // before its own String
		if x.IsZero() {
			return "-"
		}
		return x.UTC().Format("2006-01-02 15:04:05")
	case fmt.Stringer:
		return x.String()
	case bool:
		if x {
			return "yes"
		}
		return "no"
	case string:
		return cmp.Or(strings.Join(strings.Fields(x), " "), "-")
	case []string:
		return cmp.Or(strings.Join(x, ", "), "-")
	}
	return fmt.Sprint(v.Interface())
}
