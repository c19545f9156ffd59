package apidocs

import (
	_ "embed" // levels.txt
	"slices"
	"strconv"
	"strings"
)

// levels.txt lists changes of operations, a line each: the feature level, the ID and what has changed.
//
//go:embed data/levels.txt
var levelsText string

// change is a change of an operation at a feature level.
type change struct {
	Level           int
	Operation, Text string
}

// changes lists the changes of the operations of this server, newest first.
func (p *pages) changes() []change {
	var all []change
	for line := range strings.Lines(levelsText) {
		part := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if level, err := strconv.Atoi(part[0]); err == nil && len(part) == 3 && p.operation(part[1]) != nil {
			all = append(all, change{level, part[1], part[2]})
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return b.Level - a.Level })
	return all
}

// Changes returns the changes of the operation.
func (o *operation) Changes() []change {
	return slices.DeleteFunc((&pages{operations: []*operation{o}}).changes(), func(c change) bool {
		return c.Operation != o.ID
	})
}
