package apidocs

import (
	"slices"

	"github.com/stoachat/stoa/modules/kit/openapi"
)

// change is a change of an operation, an event or an entity at a feature level.
type change struct {
	Level            int
	Name, Page, Text string
}

// changes lists the changes of all that this server has, newest first.
func (p *pages) changes() []change {
	var all []change
	for _, o := range p.operations {
		all = append(all, o.Changes()...)
	}
	for _, g := range slices.Concat(p.events, p.entities) {
		for _, s := range g.Schemas {
			page := g.Folder + g.Name + "#" + s.Name
			all = append(all, changesAt(page, s.Name, "", s.Since, s.Changed)...)
			for _, f := range s.Fields {
				all = append(all, changesAt(page, s.Name, f.Name+": ", f.Schema.Since, f.Schema.Changed)...)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return b.Level - a.Level })
	return all
}

// Changes returns the changes of the operation, newest first.
func (o *operation) Changes() []change { return changesAt(o.ID, o.ID, "", o.Since, o.Changed) }

// changesAt returns the changes of a place, newest first. Texts begin with of.
func changesAt(page, name, of string, since int, changed []openapi.Change) []change {
	var all []change
	for _, c := range slices.Backward(changed) {
		all = append(all, change{c.Level, name, page, of + c.Text})
	}
	if since > 0 {
		all = append(all, change{since, name, page, of + "Added."})
	}
	return all
}
