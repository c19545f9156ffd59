package fiberhttp

import (
	"encoding"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// limits restricts the JSON in one request.
type limits struct {
	depth    int
	elements int // how many more the request may contain
}

// commonParams lists parameters that every endpoint accepts, whether it reads them or not.
var commonParams = []string{"client", "method"}

// bind fills dst, a pointer to the route's request struct, and returns the names of unused parameters. It may be called
// again. Errors: BadRequest, Missing, Confusing, and refusals by types that decode themselves.
func (p *binder) bind(dst any, in *params, header func(string) string, lim limits) (ignored []string, err error) {
	v := reflect.ValueOf(dst).Elem()
	var few [16]*param
	given := few[:]
	if len(p.fields) > len(few) {
		given = make([]*param, len(p.fields))
	}
	var rest kit.Params
	if p.rest != nil {
		rest = kit.Params{}
	}
	for i := range in.list {
		q := &in.list[i]
		f, known := p.byName[q.name]
		if !known || in.inPath(p.fields[f].name) { // the path takes precedence
			switch {
			case slices.Contains(commonParams, q.name) || in.session != "" && q.name == in.session:
			case p.rest == nil:
				ignored = append(ignored, q.name)
			case rest[q.name] != "":
				return nil, errs.Bad("Argument %q was given more than once.", q.name)
			default:
				rest[q.name] = q.value
			}
			continue
		}
		if q.form && p.fields[f].queryOnly {
			continue // data of the body that has the same name
		}
		if had := given[f]; had != nil {
			if p.body != nil && q.form && !had.form {
				continue // the body belongs to the route, so that only its query is meant for the server
			}
			return nil, duplicate(p.fields[f], had, q)
		}
		given[f] = q
	}
	for i := range in.path {
		if f, ok := p.byName[in.path[i].name]; ok {
			given[f] = &in.path[i]
		}
	}
	for i := range p.fields {
		f := &p.fields[i]
		if f.header != "" {
			v.FieldByIndex(f.index).SetString(header(f.header))
			continue
		}
		if err := f.fill(v.FieldByIndex(f.index), given[i], &lim); err != nil {
			return nil, err
		}
	}
	if err := p.bindFile(v, in); err != nil {
		return nil, err
	}
	if p.body != nil {
		v.FieldByIndex(p.body).Set(reflect.ValueOf(in.raw))
	}
	if p.rest != nil {
		v.FieldByIndex(p.rest).Set(reflect.ValueOf(rest))
	}
	if p.header != nil {
		v.FieldByIndex(p.header).Set(reflect.ValueOf(kit.Headers(header)))
	}
	slices.Sort(ignored)
	return slices.Compact(ignored), nil
}

func duplicate(f field, a, b *param) error {
	if a.name == b.name {
		return errs.Bad("Argument %q was given more than once.", a.name)
	}
	return errs.New(errs.Confusing, "Can't decide between '%s' and '%s' arguments", f.name, f.alias).
		With("var_name1", f.name).With("var_name2", f.alias)
}

func (f *field) fill(v reflect.Value, q *param, lim *limits) error {
	if q != nil && q.null && f.form != jsonText { // a text cannot be null, so null means absent
		q = nil
	}
	if q != nil && f.form == jsonText && !f.takesNull && !q.path && isNull(q.value) {
		q = nil
	}
	switch {
	case q != nil:
		return f.set(v, q.value, lim)
	case f.hasDefault:
		return f.set(v, f.defaultText, lim)
	case f.optional:
		return nil
	}
	return errs.New(errs.Missing, "Missing '%s' argument", f.name).With("var_name", f.name)
}

func isNull(s string) bool { return len(s) < 32 && strings.TrimSpace(s) == "null" }

func (f *field) set(v reflect.Value, text string, lim *limits) error {
	if f.form == jsonText {
		var one struct { // one allocation instead of three, for short texts
			d    decoder
			at   location
			text [48]byte
		}
		one.d.b, one.at.name = append(one.text[:0], text...), f.name
		if err := one.d.check(f.name, lim); err != nil {
			return err
		}
		return f.decode(&one.d, &one.at, v)
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if f.form == raw {
		v.SetString(text)
		return nil
	}
	return decodeRefusal(&location{name: f.name},
		v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)))
}

// decodeRefusal returns the refusal by a type that decodes itself, or a generic one for its other errors.
func decodeRefusal(w *location, err error) error {
	if err == nil {
		return nil
	}
	var refusal *errs.Error
	if errors.As(err, &refusal) {
		return refusal
	}
	return errs.Bad("Invalid %s", w).Because(err)
}
