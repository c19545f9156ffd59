package fiberhttp

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// binder binds parameters to a request struct. There is one per route, built at startup, so that an invalid struct
// prevents the server from starting.
type binder struct {
	fields []field
	file   *fileField
	body   []int          // index of the field that receives the whole body; nil: none
	header []int          // index of the field that reads any header; nil: none
	rest   []int          // index of the field that receives all other parameters; nil: none
	byName map[string]int // including aliases
}

// field describes how one parameter is bound.
type field struct {
	name, alias string
	header      string // if set, the value comes from this header
	queryOnly   bool   // the body cannot contain it
	index       []int
	form        form
	decode      decodeFunc // for form jsonText
	integer     bool
	optional    bool
	takesNull   bool
	hasDefault  bool
	defaultText string // in wire form
}

// form is the encoding of a parameter.
type form int

const (
	raw      form = iota // a string, or a pointer to one
	rawText              // implements encoding.TextUnmarshaler
	jsonText             // everything else
)

var (
	paramsType      = reflect.TypeFor[kit.Params]()
	headersType     = reflect.TypeFor[kit.Headers]()
	bodyType        = reflect.TypeFor[kit.Body]()
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	takesNull       = reflect.TypeFor[interface{ TakesNull() }]()
)

// newBinder returns the binder for the struct t.
func newBinder(t reflect.Type) (*binder, error) {
	p := &binder{byName: map[string]int{}}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v must be a struct", t)
	}
	var all []error
	p.add(t, nil, &all)
	return p, errors.Join(all...)
}

func (p *binder) add(t reflect.Type, at []int, all *[]error) {
	for i := range t.NumField() {
		sf := t.Field(i)
		index := slices.Concat(at, []int{i})
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct && sf.Tag.Get("json") == "" {
			p.add(sf.Type, index, all)
			continue
		}
		if !sf.IsExported() {
			continue
		}
		if f := takesFile(sf, index); f != nil {
			if p.file != nil {
				*all = append(*all, fmt.Errorf("%v.%s: a second file", t, sf.Name))
			}
			p.file = f
			continue
		}
		if sf.Type == bodyType {
			p.body = index
			continue
		}
		if sf.Type == headersType {
			p.header = index
			continue
		}
		if sf.Type == paramsType {
			p.rest = index
			continue
		}
		f, err := newField(sf, index)
		if err == nil && f.name != "" {
			err = p.name(f)
		}
		if err != nil {
			*all = append(*all, fmt.Errorf("%v.%s: %w", t, sf.Name, err))
			continue
		}
		if f.name != "" || f.header != "" {
			p.fields = append(p.fields, f)
		}
	}
}

func (p *binder) name(f field) error {
	for _, n := range []string{f.name, f.alias} {
		if n == "" {
			continue
		}
		if _, taken := p.byName[n]; taken {
			return fmt.Errorf("a second field is named %q", n)
		}
		p.byName[n] = len(p.fields)
	}
	return nil
}

func newField(sf reflect.StructField, index []int) (field, error) {
	f := field{index: index, alias: sf.Tag.Get("alias"), header: sf.Tag.Get("header")}
	if f.header != "" {
		if sf.Type.Kind() != reflect.String {
			return f, errors.New("a header field must be a string")
		}
		return f, nil
	}
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	switch name {
	case "-":
		return f, nil
	case "":
		return f, errors.New("has no json tag with its wire name")
	}
	f.name = name
	switch in := sf.Tag.Get("in"); in {
	case "", "query":
		f.queryOnly = in == "query"
	default:
		return f, fmt.Errorf("unknown tag in:%q", in)
	}
	f.defaultText, f.hasDefault = sf.Tag.Lookup("default")

	t := sf.Type
	f.takesNull = reflect.PointerTo(t).Implements(takesNull)
	f.optional = t.Kind() == reflect.Pointer || f.takesNull || f.hasDefault
	base := t
	if base.Kind() == reflect.Pointer {
		base = base.Elem()
		f.takesNull = f.takesNull || t.Implements(takesNull)
	}
	switch {
	case reflect.PointerTo(base).Implements(unmarshaler):
		f.form = jsonText
	case reflect.PointerTo(base).Implements(textUnmarshaler):
		f.form = rawText
	case base.Kind() == reflect.String:
		f.form = raw
	default:
		f.form = jsonText
	}
	f.integer = f.form == jsonText && !reflect.PointerTo(base).Implements(unmarshaler) && reflect.Int <= base.Kind() &&
		base.Kind() <= reflect.Uint64
	var err error
	if f.form == jsonText {
		if f.decode, err = compile(t); err != nil {
			return f, err
		}
	}
	if f.hasDefault {
		lim := limits{depth: 32, elements: 1000}
		if err := f.set(reflect.New(t).Elem(), f.defaultText, &lim); err != nil {
			return f, fmt.Errorf("default %q: %w", f.defaultText, err)
		}
	}
	return f, nil
}
