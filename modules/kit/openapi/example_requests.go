package openapi

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Request returns the operation of a request, and its described parameters, by name: what an example shows. nil: no
// operation that is described.
func (c *Checker) Request(method, path string, sent url.Values) (*Operation, map[string]json.RawMessage) {
	r := c.route(method, path)
	if r == nil {
		return nil, nil
	}
	all := map[string]json.RawMessage{}
	segments := strings.Split(path, "/")
	for i, s := range r.segments {
		if name, ok := strings.CutPrefix(s, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			if text, err := url.PathUnescape(segments[i]); err == nil {
				c.addValue(all, r, name, text)
			}
		}
	}
	for name, values := range sent {
		c.addValue(all, r, name, values[0])
	}
	return r.operation, all
}

// addValue adds the value of a parameter, which is JSON unless its schema is a text.
func (c *Checker) addValue(all map[string]json.RawMessage, r *described, name, text string) {
	s := r.schemas[name]
	if s == nil {
		return // another name, or one that is ignored
	}
	for _, value := range []json.RawMessage{json.RawMessage(text), encodedText(text)} {
		if c.holds(s, value) {
			all[name] = value
			return
		}
	}
}

// holds reports whether JSON is a value of a schema. null, which stands for omission, is none.
func (c *Checker) holds(s *Schema, text json.RawMessage) bool {
	return !bytes.Equal(text, []byte("null")) && json.Valid(text) && c.admits(s, text)
}

// encodedText returns the JSON of a text, with the characters of HTML as they are.
func encodedText(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // of a string
	return bytes.TrimSpace(b.Bytes())
}

// addRequests adds the recorded parameters that have values of the described types.
func (d *Document) addRequests() {
	c := NewChecker(d)
	for _, x := range d.exchanges {
		o := x.operation
		var given map[string]json.RawMessage
		if json.Unmarshal(requests()[o.ID], &given) != nil {
			continue
		}
		for name, value := range given {
			if s := x.schemas[name]; s == nil || !c.holds(s, value) {
				delete(given, name)
			}
		}
		for i := range o.Parameters {
			p := &o.Parameters[i]
			value, has := given[p.Name]
			if !has || p.In == "header" {
				continue
			}
			delete(given, p.Name)
			if media, ok := p.Content["application/json"]; ok {
				p.Content["application/json"] = Media{Schema: media.Schema, Example: value}
			} else {
				p.Example = asProperty(p.Schema, value)
			}
		}
		if o.Body != nil && len(given) > 0 && o.requires(d, given) {
			o.addBody(d, given)
		}
	}
}

// requires reports whether an example of a body has all properties that are required.
func (o *Operation) requires(d *Document, given map[string]json.RawMessage) bool {
	for _, media := range o.Body.Content {
		if s := d.Schema(media.Schema); s != nil {
			for _, name := range s.Required {
				if _, has := given[name]; !has {
					return false
				}
			}
		}
	}
	return true
}

// addBody adds an example of the body, in the first form that the operation takes.
func (o *Operation) addBody(d *Document, given map[string]json.RawMessage) {
	for _, kind := range []string{"application/json", "application/x-www-form-urlencoded"} {
		media, ok := o.Body.Content[kind]
		if !ok {
			continue
		}
		var text bytes.Buffer // with the parameters in the order of the schema
		for _, p := range d.Schema(media.Schema).Properties {
			if value, has := given[p.Name]; has {
				if text.Len() > 0 {
					text.WriteByte(',')
				}
				text.Write(encodedText(p.Name))
				text.WriteByte(':')
				text.Write(asProperty(p.Schema, value))
			}
		}
		media.Example = slices.Concat([]byte("{"), text.Bytes(), []byte("}"))
		o.Body.Content[kind] = media
		return
	}
}

// asProperty returns a value as a parameter has it: as a text, if the document is for tools that cannot encode JSON.
func asProperty(s *Schema, value json.RawMessage) json.RawMessage {
	if s == nil || s.JSONSchema == nil {
		return value
	}
	return encodedText(string(value))
}

// Takes reports whether the operation has parameters that an example of a request must show.
func (o *Operation) Takes(d *Document) bool {
	for _, p := range o.Parameters {
		if p.Required && p.In != "header" {
			return true
		}
	}
	if o.Body == nil {
		return false
	}
	for kind, media := range o.Body.Content {
		s := d.Schema(media.Schema)
		if kind != "multipart/form-data" && s != nil && (len(s.Required) > 0 || len(o.Parameters) == 0) {
			return true
		}
	}
	return false
}

// Shown reports whether the operation has an example of each required parameter.
func (o *Operation) Shown() bool {
	for _, p := range o.Parameters {
		if p.Required && p.In != "header" && p.Example == nil && p.Content["application/json"].Example == nil {
			return false
		}
	}
	if o.Body == nil {
		return true
	}
	for kind, media := range o.Body.Content {
		coded := kind == "application/json" || kind == "application/x-www-form-urlencoded"
		if media.Example != nil || !coded {
			return true
		}
	}
	return false
}
