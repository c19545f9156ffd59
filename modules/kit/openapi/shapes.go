package openapi

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/modules/kit"
)

// fieldSchema returns the schema of a field: that of its tag forms, or else that of its type, with the values of its
// tag enum.
func (b *builder) fieldSchema(f reflect.StructField, t reflect.Type, d direction) *Schema {
	forms, hasForms := f.Tag.Lookup("forms")
	values, hasEnum := f.Tag.Lookup("enum")
	s := b.schema(t, d)
	if hasForms {
		s = b.forms(forms, d)
	}
	if !hasForms && !hasEnum {
		return s
	}
	c := *s
	_, lenient := f.Tag.Lookup("lenient") // requests that ignore the field may have other values
	c.tagged = !lenient
	if hasEnum {
		for v := range strings.SplitSeq(cmp.Or(enumerations[values], values), ",") {
			c.Enum = append(c.Enum, v)
		}
	}
	return &c
}

// enumerations are lists of values by the name in a tag enum.
var enumerations = map[string]string{
	"topics_policy": strings.Join([]string{
		channel.TopicsInherit, channel.TopicsAllow, channel.TopicsDisable, channel.TopicsEmptyOnly,
	}, ","),
}

// forms returns the schema of a tag forms.
func (b *builder) forms(text string, d direction) *Schema {
	var all []*Schema
	for form := range strings.SplitSeq(text, " | ") {
		all = append(all, b.form(form, d))
	}
	switch {
	case len(all) == 1:
		return all[0]
	case text == "string | null":
		return all[0].orNull()
	}
	return &Schema{OneOf: all}
}

func (b *builder) form(name string, d direction) *Schema {
	if of, ok := strings.CutPrefix(name, "array of "); ok {
		return &Schema{Type: "array", Items: b.form(of, d)}
	}
	if name == "integer or string" {
		return &Schema{OneOf: []*Schema{b.form("integer", d), b.form("string", d)}}
	}
	switch name {
	case "integer":
		return &Schema{Type: "integer", Format: "int64"}
	case "string", "null":
		return &Schema{Type: name}
	case "narrow":
		return &Schema{Type: "array", Items: b.schema(reflect.TypeFor[narrowTerm](), d), MaxItems: narrow.MaxTerms}
	}
	b.problem("a tag has the form %q, which is not known", name)
	return &Schema{}
}

// enumeration returns the schema of a type with a list of values.
func (b *builder) enumeration(t reflect.Type, decl kit.Schema) *Schema {
	s := b.plain(t, sent).described(decl.Doc)
	s.Enum, s.Names = decl.Values, decl.Names
	if len(s.Names) != len(s.Enum) {
		b.problem("the type %v has %d names of %d values", t, len(s.Names), len(s.Enum))
	}
	return s
}

// narrowTerm is an element of a narrow.
type narrowTerm any

// termObject is a narrowTerm with all that it can say.
type termObject struct {
	Operator string `json:"operator" doc:"What is compared, such as channel or sender."`
	Operand  any    `json:"operand" doc:"With what: a text, or an ID or IDs." forms:"string | integer | array of integer"`
	Negated  bool   `json:"negated,omitempty" doc:"Whether messages must not match."`
}

var narrowTypes = []kit.Schema{
	kit.SchemaOf[narrowTerm]("NarrowTerm", "A condition of a narrow: an object, or operator and operand as texts.",
		termObject{}, [2]string{}),
}

// overlapping makes the forms of a schema alternatives that several may match, if more than one is an object.
func (b *builder) overlapping(s *Schema) {
	objects := 0
	for _, form := range s.OneOf {
		if of := b.doc.Schema(form); of != nil && of.Type == "object" {
			objects++
		}
	}
	if objects > 1 {
		s.OneOf, s.AnyOf = nil, s.OneOf
	}
}
