package openapi

import (
	"fmt"
	"slices"
	"strings"
)

// Cause returns why a success of an operation may not cause an event, of a type or a type/op; "": it may. Events that
// no client receives are not checked. Neither is what a team's own modules and the standard ones cause in each other:
// causes.txt cannot list it.
func (c *Checker) Cause(id, event string) string {
	o, leaf := c.doc.operation(id), c.doc.leaf(event)
	if o == nil || leaf == nil || slices.Contains(o.causes, event) {
		return ""
	}
	if own := c.doc.module(leaf) == o.Module; !own && (!isRecorded(id) || !isCause(event)) {
		return ""
	}
	return fmt.Sprintf("%s causes the event %s, which is not listed: add it to causes.txt, or to the route with Causing",
		id, event)
}

// isRecorded reports whether an operation is one of this repository, whose tests have been recorded.
func isRecorded(id string) bool {
	return examples()[id] != nil ||
		slices.ContainsFunc(refusals(), func(r Refused) bool { return slices.Contains(r.IDs, id) })
}

// isCause reports whether causes.txt lists an event, which is then one of this repository.
func isCause(event string) bool {
	for _, all := range seenCauses() {
		if slices.Contains(all, event) {
			return true
		}
	}
	return false
}

// module returns the module that declares an event.
func (d *Document) module(leaf *Schema) string {
	return d.Schema(append(slices.Clone(leaf.OneOf), leaf)[0]).Module
}

// Describes reports whether clients receive an event, of a type or a type/op.
func (d *Document) Describes(event string) bool { return d.leaf(event) != nil }

// leaf returns the schema of an event, of a type or a type/op; nil: no client receives such events.
func (d *Document) leaf(event string) *Schema {
	if !strings.Contains(event, "/") {
		event += "/"
	}
	return d.leaves[event]
}

// schemasOf returns the schemas of events. Those of modules that do not run are absent.
func (d *Document) schemasOf(events []string) []string {
	var all []string
	for _, e := range events {
		leaf := d.leaf(e)
		if leaf == nil {
			continue
		}
		for _, s := range append(slices.Clone(leaf.OneOf), leaf) {
			if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
