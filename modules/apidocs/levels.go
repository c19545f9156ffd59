package apidocs

import "slices"

// change is a change of an operation at a feature level.
type change struct {
	Level           int
	Operation, Text string
}

// changes lists the changes of the operations of this server, newest first.
func (p *pages) changes() []change {
	var all []change
	for _, o := range p.operations {
		all = append(all, o.Changes()...)
	}
	slices.SortStableFunc(all, func(a, b change) int { return b.Level - a.Level })
	return all
}

// Changes returns the changes of the operation, newest first.
func (o *operation) Changes() []change {
	var all []change
	for _, c := range slices.Backward(o.Changed) {
		all = append(all, change{c.Level, o.ID, c.Text})
	}
	if o.Since > 0 {
		all = append(all, change{o.Since, o.ID, "Added."})
	}
	return all
}
