package openapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// YAML returns the document as YAML, with the keys in the same order.
func (d *Document) YAML() ([]byte, error) {
	text, err := d.JSON()
	if err != nil {
		return nil, err
	}
	w := yamlWriter{in: json.NewDecoder(bytes.NewReader(text))}
	w.in.UseNumber()
	if err := w.value(0, ""); err != nil {
		return nil, err
	}
	return w.out.Bytes(), nil
}

// yamlWriter turns JSON into YAML. Strings stay as they are, since YAML reads those of JSON.
type yamlWriter struct {
	in  *json.Decoder
	out bytes.Buffer
}

// plainKey matches keys that need no quotes.
var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// value writes the next value. between separates a scalar from the key or the dash before it; "" at the beginning.
func (w *yamlWriter) value(depth int, between string) error {
	t, err := w.in.Token()
	if err != nil {
		return err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		b, err := json.Marshal(t)
		w.out.WriteString(between)
		w.out.Write(b)
		w.out.WriteByte('\n')
		return err
	}
	if !w.in.More() {
		w.out.WriteString(between + map[json.Delim]string{'{': "{}", '[': "[]"}[delim] + "\n")
		_, err := w.in.Token()
		return err
	}
	if between != "" {
		w.out.WriteByte('\n')
	}
	for w.in.More() {
		w.out.WriteString(strings.Repeat("  ", depth))
		if err := w.member(delim, depth); err != nil {
			return err
		}
	}
	_, err = w.in.Token()
	return err
}

// member writes an entry of an object or a list.
func (w *yamlWriter) member(delim json.Delim, depth int) error {
	if delim == '[' {
		w.out.WriteByte('-')
		return w.value(depth+1, " ")
	}
	t, err := w.in.Token()
	if err != nil {
		return err
	}
	if key := t.(string); plainKey.MatchString(key) && key != "null" && key != "true" && key != "false" {
		w.out.WriteString(key + ":")
	} else if b, err := json.Marshal(key); err == nil {
		w.out.Write(append(b, ':'))
	}
	return w.value(depth+1, " ")
}
