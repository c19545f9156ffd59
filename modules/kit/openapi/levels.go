package openapi

import (
	_ "embed" // levels.txt
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// levels.txt lists what feature levels have changed, a line each: the level, a place, and what has changed, which
// begins with "Added." if the place is new. A place is the ID of an operation, one of its parameters (ID.name), a
// schema such as that of an event, or one of the schema's properties (Schema.name).
//
//go:embed levels.txt
var levelsText string

// Change is a change at a feature level.
type Change struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// history is what levels.txt says about a place.
type history struct {
	since   int // 0: not known
	changed []Change
}

var histories = sync.OnceValue(func() map[string]history {
	all := map[string]history{}
	for line := range strings.Lines(levelsText) {
		part := strings.SplitN(strings.TrimSpace(line), " ", 3)
		level, err := strconv.Atoi(part[0])
		if err != nil || len(part) < 3 {
			continue
		}
		h := all[part[1]]
		text, isNew := strings.CutPrefix(part[2], "Added.")
		if isNew {
			h.since = level
		}
		if text = strings.TrimSpace(text); text != "" {
			h.changed = append(h.changed, Change{level, text})
		}
		all[part[1]] = h
	}
	return all
})

// Levels returns the places in levels.txt.
func Levels() []string { return sorted(histories()) }

// addLevels says at which feature levels operations, parameters, schemas and properties have changed.
func (d *Document) addLevels() {
	for place, h := range histories() {
		d.setLevel(place, h)
	}
	for _, x := range d.exchanges {
		x.operation.Changed = append(x.operation.Changed, d.changesBelow(x.operation)...)
		slices.SortStableFunc(x.operation.Changed, func(a, b Change) int { return a.Level - b.Level })
	}
}

// Dates reports whether the document has a place of levels.txt.
func (d *Document) Dates(place string) bool { return d.setLevel(place, histories()[place]) }

// setLevel sets the levels of a place. It returns false if the document has no such place.
func (d *Document) setLevel(place string, h history) bool {
	of, name, inside := strings.Cut(place, ".")
	if o := d.operation(of); o != nil {
		if !inside {
			o.Since, o.Changed = h.since, slices.Clone(h.changed)
			return true
		}
		for i := range o.Parameters {
			if p := &o.Parameters[i]; p.Name == name {
				p.Since, p.Changed = h.since, h.changed
				return true
			}
		}
		return o.Body != nil && d.Components.Schemas[camel(of)+"Request"].setLevel(name, h)
	}
	s := d.Components.Schemas[of]
	if s == nil {
		return false
	}
	if !inside {
		s.Since, s.Changed = h.since, h.changed
		return true
	}
	return s.setLevel(name, h)
}

// setLevel sets the levels of a property.
func (s *Schema) setLevel(name string, h history) bool {
	if s == nil {
		return false
	}
	for i, p := range s.Properties {
		if p.Name == name {
			c := *p.Schema // which others may share
			c.Since, c.Changed = h.since, h.changed
			s.Properties[i].Schema = &c
			return true
		}
	}
	return false
}

// changesBelow returns the changes of the parameters of an operation and of the keys of its response.
func (d *Document) changesBelow(o *Operation) []Change {
	var all []Change
	for place, h := range histories() {
		of, name, inside := strings.Cut(place, ".")
		if !inside || of != o.ID && of != camel(o.ID)+"Result" || o.Since > 0 && h.since == o.Since {
			continue
		}
		if h.since > 0 {
			all = append(all, Change{h.since, fmt.Sprintf("%s: added.", name)})
		}
		for _, c := range h.changed {
			all = append(all, Change{c.Level, name + ": " + c.Text})
		}
	}
	slices.SortFunc(all, func(a, b Change) int { return strings.Compare(a.Text, b.Text) })
	return all
}
