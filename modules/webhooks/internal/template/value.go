package template

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/plainjson"
)

// True reports whether a value is neither missing, false, zero nor empty.
func True(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case Markdown:
		return v != ""
	case json.Number:
		n, err := v.Float64()
		return err != nil || n != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// Path returns the value that the names of members and the numbers of elements lead to, or nil.
func (r *Run) Path(v any, path []string) any {
	for _, key := range path {
		if !r.Spend(1) {
			return nil
		}
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// elements returns the elements of a list, or the members of an object in order of their names.
func (r *Run) elements(v any) (key func(int) any, values []any) {
	switch v := v.(type) {
	case []any:
		return func(i int) any { return json.Number(strconv.Itoa(i)) }, v
	case map[string]any:
		if !r.Spend(len(v)) {
			return nil, nil
		}
		names := slices.Sorted(maps.Keys(v))
		for _, name := range names {
			values = append(values, v[name])
		}
		return func(i int) any { return names[i] }, values
	}
	return nil, nil
}

// Text returns a value as text, objects and lists as JSON. Long texts are cut.
func (r *Run) Text(v any) string {
	text := ""
	switch v := v.(type) {
	case string:
		text = v
	case Markdown:
		text = string(v)
	case nil:
	default:
		e := encoder{run: r}
		e.value(v, 0)
		text = e.out.String()
	}
	if !r.Spend(min(len(text), MaxValue) / perStep) {
		return ""
	}
	return cut(text, MaxValue)
}

// cut returns at most n bytes of a text, in whole code points.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Compare orders two values: as numbers if one is a number and the other can be read as one, or else as texts.
func (r *Run) Compare(a, b any) int {
	_, anumber := a.(json.Number)
	_, bnumber := b.(json.Number)
	if anumber || bnumber {
		x, xok := Number(a)
		y, yok := Number(b)
		if xok && yok {
			return cmp.Compare(x, y)
		}
	}
	return strings.Compare(r.Text(a), r.Text(b))
}

// Number returns the value of a number or of a text that is one.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		return asNumber(v.String())
	case string:
		return asNumber(v)
	case Markdown:
		return asNumber(string(v))
	}
	return 0, false
}

func asNumber(text string) (float64, bool) {
	if len(text) > 32 {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// encoder writes JSON until it exceeds MaxValue, so that its cost does not depend on the size of the data.
type encoder struct {
	run *Run
	out strings.Builder
}

func (e *encoder) value(v any, depth int) {
	if e.out.Len() > MaxValue || depth > maxNodes || !e.run.Spend(1) {
		return
	}
	switch v := v.(type) {
	case []any:
		e.out.WriteByte('[')
		for i, x := range v {
			if e.out.Len() > MaxValue || e.run.halted {
				return
			}
			if i > 0 {
				e.out.WriteByte(',')
			}
			e.value(x, depth+1)
		}
		e.out.WriteByte(']')
	case map[string]any:
		keys, values := e.run.elements(v)
		e.out.WriteByte('{')
		for i, x := range values {
			if e.out.Len() > MaxValue || e.run.halted {
				return
			}
			if i > 0 {
				e.out.WriteByte(',')
			}
			e.value(keys(i), depth+1)
			e.out.WriteByte(':')
			e.value(x, depth+1)
		}
		e.out.WriteByte('}')
	case string:
		b, _ := plainjson.Marshal(cut(v, MaxValue)) // any text can be encoded
		e.out.Write(b)
	case json.Number:
		e.out.WriteString(cut(v.String(), MaxValue))
	case bool:
		e.out.WriteString(strconv.FormatBool(v))
	default:
		e.out.WriteString("null")
	}
}
