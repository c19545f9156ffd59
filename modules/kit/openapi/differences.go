package openapi

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is a difference between two documents.
type Difference struct {
	Breaking bool // clients of the older version may fail
	Text     string
}

// Differences compares the document of an older version with that of a newer one: operations, parameters, properties,
// types and values, but not texts. New values of what clients receive do not break them: they are documented to come.
func Differences(older, newer []byte) ([]Difference, error) {
	before, err := readOutline(older)
	if err != nil {
		return nil, fmt.Errorf("the older document: %w", err)
	}
	after, err := readOutline(newer)
	if err != nil {
		return nil, fmt.Errorf("the newer document: %w", err)
	}
	var all []Difference
	add := func(breaking bool, format string, args ...any) {
		all = append(all, Difference{breaking, fmt.Sprintf(format, args...)})
	}
	for _, place := range sorted(before) {
		was := before[place]
		now, left := after[place]
		of, _, inside := strings.Cut(place, ".")
		_, still := after[of]
		switch {
		case !left && (!inside || still || before[of].call == ""):
			add(true, "%s: removed", place)
		case left:
			compare(place, was, now, add)
		}
	}
	for _, place := range sorted(after) {
		if _, had := before[place]; had {
			continue
		}
		of, _, inside := strings.Cut(place, ".")
		_, old := before[of]
		now := after[place]
		switch {
		case inside && now.sent && now.always && old:
			add(true, "%s: added, and required", place)
		case !inside || old || after[of].call == "": // not the parameters of a new operation
			add(false, "%s: added", place)
		}
	}
	slices.SortStableFunc(all, func(a, b Difference) int { return strings.Compare(a.Text, b.Text) })
	return all, nil
}

// compare compares what two documents say about a place.
func compare(place string, was, now fact, add func(breaking bool, format string, args ...any)) {
	if was.call != now.call {
		add(true, "%s: %s instead of %s", place, now.call, was.call)
	}
	switch {
	case now.sent && now.always && !was.always:
		add(true, "%s: required now", place)
	case now.sent && was.always && !now.always:
		add(false, "%s: optional now", place)
	case was.always && !now.always:
		add(true, "%s: not always sent now", place)
	case now.always && !was.always:
		add(false, "%s: always sent now", place)
	}
	if now.sent && now.most > 0 && (was.most == 0 || now.most < was.most) {
		add(true, "%s: at most %d now", place, now.most)
	}
	for _, form := range was.forms {
		if !slices.Contains(now.forms, form) {
			add(now.sent || isValue(form), "%s: no longer %s", place, form)
		}
	}
	for _, form := range now.forms {
		if !slices.Contains(was.forms, form) {
			add(!now.sent && !isValue(form), "%s: may be %s", place, form)
		}
	}
}

// isValue reports whether a form is a value instead of a type.
func isValue(form string) bool { return strings.HasSuffix(form, `"`) }
